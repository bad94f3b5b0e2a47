import Base
import Imaging
import Testing
@testable import Recognition

@Suite("Boxes") struct DetectionTests {
    private func close(_ left: Float, _ right: Float) -> Bool { abs(left - right) < 1e-3 }

    /// A picture of 64×32 pixels: 8×4 cells of 8 pixels, then 4×2 of 16, and three classes.
    @Test("YOLOX: the centre lies in strides from the cell, the size is exponential")
    func yolox() {
        let decoder = BoxDecoder(
            ModelManifest.Detection(decoder: .yolox, output: "boxes", strides: [8, 16], labels: ["a", "b", "c"]),
            width: 64, height: 32)
        #expect(decoder.size == 40 * 8)
        var values = [Float](repeating: 0, count: decoder.size)
        // The cell in row 1, column 2 of the second grid.
        let cell = (32 + 1 * 4 + 2) * 8
        values.replaceSubrange(cell..<cell + 8, with: [0.5, -0.25, 0.6931472, 0, 0.8, 0.1, 0.2, 0.75])
        // A cell of the first grid that is sure of an object, but of no class.
        values.replaceSubrange(8..<16, with: [0, 0, 0, 0, 0.9, 0.1, 0.2, 0.3])
        let boxes = decoder.boxes(in: values, from: 0.3)
        #expect(boxes.count == 1)
        #expect(boxes[0].label == 2 && close(boxes[0].confidence, 0.6))
        // Centre (2.5, 0.75) × 16 = (40, 12); size (2, 1) × 16 = (32, 16).
        #expect(close(boxes[0].left, 24) && close(boxes[0].right, 56))
        #expect(close(boxes[0].top, 4) && close(boxes[0].bottom, 20))
        #expect(decoder.boxes(in: values, from: 0.2).map(\.label) == [2, 2])
        #expect(decoder.boxes(in: Array(values.dropLast()), from: 0.2).isEmpty)
    }

    /// A picture of 32×48 pixels: 2 columns and 3 rows of 16, and two classes.
    @Test("FastestDet: planes, tanh for the centre, the logistic function for the size")
    func fastestDet() {
        let decoder = BoxDecoder(
            ModelManifest.Detection(decoder: .fastestdet, output: "boxes", strides: [16], labels: ["a", "b"]),
            width: 32, height: 48)
        #expect(decoder.size == 7 * 6)
        var values = [Float](repeating: 0, count: decoder.size)
        let cell = 2 * 2 + 1  // row 2, column 1
        for (plane, value) in [Float](arrayLiteral: 0.5, 0.549306, 0, 1.098612, -1.098612, 0.25, 0.7).enumerated() {
            values[plane * 6 + cell] = value
        }
        let boxes = decoder.boxes(in: values, from: 0.3)
        #expect(boxes.count == 1)
        #expect(boxes[0].label == 1)
        // 0.5^0.6 · 0.7^0.4 = 0.57203
        #expect(close(boxes[0].confidence, 0.57203))
        // Centre (1 + tanh 0.5493, 2) × 16 = (24, 32); size (0.75 × 32, 0.25 × 48) = (24, 12).
        #expect(close(boxes[0].left, 12) && close(boxes[0].right, 36))
        #expect(close(boxes[0].top, 26) && close(boxes[0].bottom, 38))
        #expect(decoder.boxes(in: values, from: 0.6).isEmpty)
    }

    @Test("YOLOv5: centre and size in pixels, the class weighed by the object")
    func yolov5() {
        let detection = ModelManifest.Detection(
            decoder: .yolov5, output: "boxes", labels: ["animal", "person", "vehicle"])
        #expect(detection.problem == nil)
        let decoder = BoxDecoder(detection, width: 64, height: 32, boxes: 3)
        #expect(decoder.size == 24)
        #expect(BoxDecoder.shape(.yolov5, strides: [], width: 64, height: 32, boxes: 3) == [3, nil])
        let values: [Float] = [
            20, 10, 8, 4, 0.8, 0.1, 0.75, 0.2, 5, 5, 4, 4, 0.9, 0.2, 0.1, 0.3, 5, 5, 4, 4, 0.1, 1, 1, 1,
        ]
        let boxes = decoder.boxes(in: values, from: 0.3)
        #expect(boxes.count == 1 && boxes[0].label == 1 && close(boxes[0].confidence, 0.6))
        #expect(close(boxes[0].left, 16) && close(boxes[0].right, 24) && close(boxes[0].top, 8))
        #expect(decoder.boxes(in: values, from: 0.2).map(\.label) == [1, 2])
        let strided = ModelManifest.Detection(decoder: .yolov5, output: "boxes", strides: [8], labels: ["a"])
        #expect(strided.problem?.contains("mean nothing to yolov5") == true)
    }

    @Test("YOLOv9: planes, without an object of their own")
    func yolov9() {
        let detection = ModelManifest.Detection(decoder: .yolov9, output: "boxes", labels: ["animal", "person"])
        let decoder = BoxDecoder(detection, width: 64, height: 32, boxes: 3)
        #expect(decoder.size == 18)
        #expect(BoxDecoder.shape(.yolov9, strides: [], width: 64, height: 32, boxes: 3) == [nil, 3])
        let values: [Float] = [20, 5, 7, 10, 5, 7, 8, 4, 4, 4, 4, 2, 0.1, 0.2, 0.9, 0.7, 0.25, 0.1]
        let boxes = decoder.boxes(in: values, from: 0.3)
        #expect(boxes.map(\.label) == [1, 0] && boxes.map(\.confidence) == [0.7, 0.9])
        #expect(boxes[0] == NetworkBox(left: 16, top: 8, right: 24, bottom: 12, label: 1, confidence: 0.7))
        #expect(decoder.boxes(in: Array(values.dropLast()), from: 0.1).isEmpty)
    }

    @Test("Corners: each box is its edges and the probabilities of its classes")
    func corners() {
        let detection = ModelManifest.Detection(decoder: .corners, output: "boxes", labels: ["a", "b", "c"])
        let decoder = BoxDecoder(detection, width: 64, height: 32, boxes: 3)
        #expect(decoder.size == 21)
        let values: [Float] = [
            1, 2, 11, 22, 0.1, 0.2, 0.15, -3, 0, 70, 40, 0.2, 0.3, 0.9, 5, 6, 7, 8, 0.3, 0.1, 0.3,
        ]
        let boxes = decoder.boxes(in: values, from: 0.3)
        #expect(boxes.map(\.label) == [2, 0] && boxes.map(\.confidence) == [0.9, 0.3])
        #expect(boxes[0] == NetworkBox(left: -3, top: 0, right: 70, bottom: 40, label: 2, confidence: 0.9))
        #expect(decoder.boxes(in: values, from: 0.95).isEmpty && decoder.boxes(in: values, from: 0.1).count == 3)
        #expect(decoder.boxes(in: Array(values.dropLast()), from: 0.1).isEmpty)
        #expect(detection.problem == nil)
        // Naming a region needs the scores of all classes.
        #expect(decoder.boxes(in: values, from: 0.5, scored: true).map(\.scores) == [[0.2, 0.3, 0.9]])
        #expect(boxes[0].scores.isEmpty)
        let strided = ModelManifest.Detection(decoder: .corners, output: "boxes", strides: [8], labels: ["a"])
        #expect(strided.problem?.contains("detection.strides") == true)
    }

    private func candidate(
        _ x: Double, _ width: Double, _ confidence: Float, label: Int = 0
    ) -> NonMaximumSuppression.Candidate {
        .init(region: PictureRegion(x: x, y: 0, width: width, height: 1), label: label, confidence: confidence)
    }

    @Test("Of boxes of one class that overlap the surest stays; other classes do not count")
    func suppression() {
        let weak = candidate(0.1, 0.4, 0.5)
        let strong = candidate(0, 0.4, 0.9)
        let other = candidate(0.05, 0.4, 0.6, label: 1)
        let beside = candidate(0.3, 0.4, 0.4)
        // `weak` and `strong` overlap by 0.3/0.5 = 0.6, above 0.45. `beside` and `strong` overlap by 0.1/0.7, below it.
        let all = [weak, strong, other, beside]
        #expect(NonMaximumSuppression.keep(all, overlap: 0.45, limit: 10) == [strong, other, beside])
        #expect(NonMaximumSuppression.keep(all, overlap: 0.6001, limit: 10) == [strong, other, weak, beside])
        #expect(NonMaximumSuppression.keep(all, overlap: 0.45, limit: 2) == [strong, other])
        // A dropped box removes no others. `beside` overlaps only the dropped `weak`, by 0.2/0.6.
        #expect(NonMaximumSuppression.keep(all, overlap: 0.3, limit: 10) == [strong, other, beside])
        let twins = [candidate(0, 0.1, 0.5), candidate(0.5, 0.1, 0.5)]
        #expect(NonMaximumSuppression.keep(twins, overlap: 0.45, limit: 10) == twins)
    }

    @Test("What the whole photo shows goes before the parts of it that tiles show")
    func suppressionAcrossViews() {
        let cat = candidate(0.2, 0.5, 0.6)
        var half = candidate(0.2, 0.2, 0.9)
        // In one picture, a box inside another is a separate object, such as a kitten in front of a cat.
        #expect(NonMaximumSuppression.keep([cat, half], overlap: 0.45, limit: 10) == [half, cat])
        half.view = 1
        #expect(NonMaximumSuppression.keep([cat, half], overlap: 0.45, limit: 10) == [cat])
        var far = candidate(0.8, 0.1, 0.95)
        far.view = 2
        // The low threshold admits a faint cat in the whole photo. It must not hide the tile's box.
        #expect(NonMaximumSuppression.keep([cat, half], overlap: 0.45, limit: 10, sure: 0.6) == [cat])
        #expect(NonMaximumSuppression.keep([cat, half], overlap: 0.45, limit: 10, sure: 0.61) == [half])
        #expect(NonMaximumSuppression.keep([cat, half, far], overlap: 0.45, limit: 10) == [far, cat])
        #expect(NonMaximumSuppression.keep([cat, half, far], overlap: 0.45, limit: 1) == [far])
        var dog = candidate(0.2, 0.2, 0.9, label: 1)
        dog.view = 1
        #expect(NonMaximumSuppression.keep([cat, dog], overlap: 0.45, limit: 10) == [dog, cat])
    }

    @Test("Of several names at one place one stays; a person beside or upon a thing stays, too")
    func placesAcrossClasses() {
        let labels = ["cat", "dog", "bench", "person", Animals.other]
        func seen(_ x: Double, _ width: Double, _ confidence: Float, label: Int = 0)
            -> NonMaximumSuppression.Candidate
        {
            var seen = candidate(x, width, confidence, label: label)
            seen.scores = labels.indices.map { $0 == label ? confidence : 0.01 }
            return seen
        }
        func keep(_ all: [NonMaximumSuppression.Candidate]) -> [NonMaximumSuppression.Candidate] {
            NonMaximumSuppression.places(all, labels: labels, overlap: 0.5, limit: 10, from: 0.1)
        }
        let (cat, dog) = (seen(0, 0.4, 0.8), seen(0.05, 0.4, 0.7, label: 1))
        #expect(keep([dog, cat]) == [cat])
        // A class trained without boxes does not replace one trained with them.
        #expect(keep([seen(0.05, 0.4, 0.9, label: 4), cat]) == [cat])
        // An animal and an object with an overlap of 0.35/0.45 = 0.78 are one place. With 0.3/0.5 = 0.6 they are two.
        #expect(keep([cat, seen(0.05, 0.4, 0.6, label: 2)]) == [cat])
        let bench = seen(0.1, 0.4, 0.6, label: 2)
        #expect(keep([cat, bench]) == [cat, bench])
        let person = seen(0.05, 0.4, 0.6, label: 3)
        #expect(keep([cat, person]) == [cat, person])
        // A head inside a surer animal is part of it. A kitten with an equal score is not.
        #expect(keep([cat, seen(0.1, 0.1, 0.5, label: 1)]) == [cat])
        let kitten = seen(0.1, 0.1, 0.75)
        #expect(keep([cat, kitten]) == [cat, kitten])
    }

    @Test("Large photos are cut into tiles by their size, small ones never")
    func automaticTiles() {
        #expect(Tiling.automatic(width: 800, height: 600, side: 416).isEmpty)
        #expect(Tiling.automatic(width: 832, height: 832, side: 416).isEmpty)
        let landscape = Tiling.automatic(width: 1800, height: 1200, side: 416)
        #expect(landscape.count == 15)
        #expect(landscape.allSatisfy { $0.width * 1800 <= 520 && $0.height * 1200 <= 520 })
        #expect(abs((landscape.last?.right ?? 0) - 1) < 1e-9 && abs((landscape.last?.bottom ?? 0) - 1) < 1e-9)
        #expect(Tiling.automatic(width: 4000, height: 1, side: 416).count == 5)
        #expect(Tiling.automatic(width: 12_000, height: 9_000, side: 416).count == 25)
    }

    @Test("Small doubtful objects are looked at from closer, animals first, and each place once")
    func closerLooks() {
        let labels = ["cat", "cell phone", Animals.other]
        typealias Candidate = NonMaximumSuppression.Candidate
        func seen(_ x: Double, _ confidence: Float, label: Int, side: Double = 0.05) -> Candidate {
            Candidate(
                region: PictureRegion(x: x, y: 0.5, width: side, height: side), label: label, confidence: confidence)
        }
        func closer(_ candidates: [Candidate], in views: [PictureRegion] = [.whole, .whole]) -> [PictureRegion] {
            Tiling.closer(at: candidates, labels: labels, sure: 0.4, in: views, width: 1000, height: 1000)
        }
        let (cat, phone) = (seen(0.2, 0.1, label: 0), seen(0.6, 0.3, label: 1))
        let squares = closer([phone, cat])
        #expect(squares.map { ($0.x * 1000).rounded() } == [150, 550])
        #expect(squares.allSatisfy { abs($0.width - 0.15) < 1e-9 && abs($0.height - 0.15) < 1e-9 })
        // A photo without tiles is small. Its things are what they seem.
        #expect(closer([phone, cat], in: [.whole]).count == 1)
        // The same place under two names.
        #expect(closer([cat, seen(0.21, 0.2, label: 1)]).count == 1)
        // What is sure, large or hardly there stays as it is. An animal without a name of its own is looked at.
        #expect(closer([seen(0.2, 0.5, label: 0), seen(0.2, 0.1, label: 1)]).isEmpty)
        #expect(closer([seen(0.2, 0.2, label: 0, side: 0.3), seen(0.7, 0.07, label: 0)]).isEmpty)
        #expect(closer([seen(0.2, 0.6, label: 2)]).count == 1)
        #expect(closer((0..<30).map { seen(Double($0) * 0.03, 0.2, label: 0, side: 0.009) }).count == 12)
    }

    @Test("Intersection over union") func overlap() {
        let square = PictureRegion(x: 0.2, y: 0.2, width: 0.2, height: 0.2)
        #expect(abs(square.overlap(with: square) - 1) < 1e-12)
        #expect(square.overlap(with: PictureRegion(x: 0.4, y: 0.2, width: 0.2, height: 0.2)) == 0)
        let shifted = PictureRegion(x: 0.3, y: 0.3, width: 0.2, height: 0.2)
        #expect(abs(square.overlap(with: shifted) - 0.01 / 0.07) < 1e-9)
        let none = PictureRegion(left: 2, top: 0, right: 3, bottom: 1)
        #expect(none.area == 0 && none.overlap(with: none) == 0)
    }

    @Test("Tiles cover the photo, overlap by a quarter, and drop what they cut", arguments: [2, 3, 4])
    func tiles(count: Int) {
        let regions = Tiling.regions(count)
        #expect(regions.count == 1 + count * count && regions[0] == .whole)
        #expect(Tiling.regions(1) == [.whole])
        let first = regions[1]
        let second = regions[2]
        #expect(first.x == 0 && first.y == 0)
        #expect(abs(first.right - second.x - first.width * 0.25) < 1e-9)
        #expect(regions.dropFirst().allSatisfy { $0.right <= 1 + 1e-9 && $0.bottom <= 1 + 1e-9 })
        #expect(abs((regions.last?.right ?? 0) - 1) < 1e-9)

        let inside = PictureRegion(x: 0.1, y: 0.1, width: 0.1, height: 0.1)
        #expect(!Tiling.isCut(inside, by: first))
        let atTheEdge = PictureRegion(left: first.right - 0.05, top: 0, right: first.right, bottom: 0.1)
        #expect(Tiling.isCut(atTheEdge, by: first) && !Tiling.isCut(atTheEdge, by: .whole))
        // The edge of the photo cuts nothing off.
        #expect(!Tiling.isCut(PictureRegion(x: 0, y: 0, width: 0.1, height: 0.1), by: first))
    }
}
