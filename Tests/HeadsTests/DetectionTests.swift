@testable import Heads
@testable import Inference
import Imaging
import Scans
import Testing

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
        // Cell of the second grid: row 1, column 2.
        let cell = (32 + 1 * 4 + 2) * 8
        values.replaceSubrange(cell..<cell + 8, with: [0.5, -0.25, 0.6931472, 0, 0.8, 0.1, 0.2, 0.75])
        // Cell of the first grid that is sure of an object, but of no class.
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
        // 0.9 and 0.3 of two animals: √0.27 = 0.52 under the second name; a thing has none.
        let animals = ModelManifest.Detection(decoder: .corners, output: "boxes", labels: ["cat", "dog", "bench"])
        let names = BoxDecoder(animals, width: 64, height: 32, boxes: 1)
        let cat = names.boxes(in: [0, 0, 9, 9, 0.9, 0.3, 0.8], from: 0.4, secondNames: true)
        #expect(cat.map(\.label) == [0, 1] && close(cat[1].confidence, 0.5196))
        #expect(names.boxes(in: [0, 0, 9, 9, 0.9, 0.3, 0.8], from: 0.53, secondNames: true).count == 1)
        #expect(names.boxes(in: [0, 0, 9, 9, 0.5, 0.4, 0.8], from: 0.1, secondNames: true).map(\.label) == [2])
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
        // 0.3/0.5 = 0.6 of weak and strong is above 0.45; 0.1/0.7 of beside and strong is below.
        let all = [weak, strong, other, beside]
        #expect(NonMaximumSuppression.keep(all, overlap: 0.45, limit: 10) == [strong, other, beside])
        #expect(NonMaximumSuppression.keep(all, overlap: 0.6001, limit: 10) == [strong, other, weak, beside])
        #expect(NonMaximumSuppression.keep(all, overlap: 0.45, limit: 2) == [strong, other])
        // What was dropped drops nothing: beside overlaps weak by 0.2/0.6.
        #expect(NonMaximumSuppression.keep(all, overlap: 0.3, limit: 10) == [strong, other, beside])
        let twins = [candidate(0, 0.1, 0.5), candidate(0.5, 0.1, 0.5)]
        #expect(NonMaximumSuppression.keep(twins, overlap: 0.45, limit: 10) == twins)
    }

    @Test("What the whole photo shows goes before the parts of it that tiles show")
    func suppressionAcrossViews() {
        let cat = candidate(0.2, 0.5, 0.6)
        var half = candidate(0.2, 0.2, 0.9)
        // Within one picture a box inside another is a thing of its own: a kitten before a cat.
        #expect(NonMaximumSuppression.keep([cat, half], overlap: 0.45, limit: 10) == [half, cat])
        half.view = 1
        #expect(NonMaximumSuppression.keep([cat, half], overlap: 0.45, limit: 10) == [cat])
        var far = candidate(0.8, 0.1, 0.95)
        far.view = 2
        // A shadow of a cat in the whole photo, asked for by a low threshold, does not hide what a tile shows.
        #expect(NonMaximumSuppression.keep([cat, half], overlap: 0.45, limit: 10, sure: 0.6) == [cat])
        #expect(NonMaximumSuppression.keep([cat, half], overlap: 0.45, limit: 10, sure: 0.61) == [half])
        #expect(NonMaximumSuppression.keep([cat, half, far], overlap: 0.45, limit: 10) == [far, cat])
        #expect(NonMaximumSuppression.keep([cat, half, far], overlap: 0.45, limit: 1) == [far])
        var dog = candidate(0.2, 0.2, 0.9, label: 1)
        dog.view = 1
        #expect(NonMaximumSuppression.keep([cat, dog], overlap: 0.45, limit: 10) == [dog, cat])
    }

    @Test("An animal has one name, the surer one once presence was asked; the other is doubt")
    func oneDecision() throws {
        let place = PictureRegion(x: 0.2, y: 0.2, width: 0.4, height: 0.4)
        let bear = DetectedBox(region: place, label: "bear", confidence: 0.84)
        let cat = DetectedBox(region: place, label: "cat", confidence: 0.6)
        let bench = DetectedBox(region: place, label: "bench", confidence: 0.5)
        let dog = DetectedBox(
            region: PictureRegion(x: 0.7, y: 0.2, width: 0.2, height: 0.4), label: "dog", confidence: 0.7)
        #expect(Animals.places(of: [bear, dog, cat, bench]) == [bear, dog])
        let presence = HeadAnswer(
            name: "presence", labels: ["cat", "dog", "other"], probabilities: [0.95, 0.01, 0.04])
        let weighed = [bear, cat].map {
            DetectedBox(region: $0.region, label: $0.label, confidence: Animals.confidence(of: $0, by: presence))
        }
        #expect(weighed[0].confidence < 0.4 && weighed[1].confidence > 0.58)
        let decided = Animals.decided(weighed + [bench, dog]) { _ in 0.3 }
        #expect(decided.map(\.label) == ["dog", "cat", "bench", "bear"])
        #expect(decided[3].confidence < 0.3)
    }

    @Test("Another animal is one by what kind of thing the classifier sees there")
    func otherAnimal() {
        let box = DetectedBox(region: .whole, label: Animals.other, confidence: 0.8)
        let presence = HeadAnswer(
            name: "presence", labels: ["cat", "dog", "other"], probabilities: [0.01, 0.01, 0.98])
        func sure(_ kind: String) -> Float {
            let kinds = HeadAnswer(
                name: "kinds", labels: ["bird", "object", "wild_dog", "other_animal"],
                probabilities: ["bird", "object", "wild_dog", "other_animal"].map { $0 == kind ? 0.97 : 0.01 })
            return Animals.confidence(of: box, by: presence, kinds: kinds)
        }
        #expect(sure("wild_dog") > 0.75 && sure("other_animal") > 0.75)
        #expect(sure("object") < 0.4 && sure("bird") < 0.4)
        #expect(Animals.confidence(of: box, by: presence) > 0.78)
    }

    @Test("In a frame another animal is one where the classifier sees one in the whole of it")
    func otherAnimalInAFrame() {
        let boxes = [(Animals.other, 0.8), ("cat", 0.6), ("bench", 0.5)].map {
            DetectedBox(region: .whole, label: $0.0, confidence: Float($0.1))
        }
        let presence = HeadAnswer(
            name: "presence", labels: ["cat", "dog", "other"], probabilities: [0.3, 0.01, 0.69])
        func labels(_ share: Float) -> [String] {
            let kinds = HeadAnswer(name: "kinds", labels: ["cat", "wild_cat"], probabilities: [1 - share, share])
            return Animals.agreed(boxes, by: [presence, kinds], from: 0.2).map(\.label)
        }
        #expect(labels(0.95) == [Animals.other, "cat", "bench"])
        #expect(labels(0.7) == ["cat", "bench", Animals.other])
        #expect(labels(0.4) == ["cat", "bench"])
        #expect(Animals.agreed(boxes, by: [], from: 0.2) == boxes)
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
        // The photo's own edge cuts nothing.
        #expect(!Tiling.isCut(PictureRegion(x: 0, y: 0, width: 0.1, height: 0.1), by: first))
    }
}
