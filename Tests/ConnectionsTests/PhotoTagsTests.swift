import Base
import Encyclopaedia
@testable import Imaging
import Recognition
import Testing

@testable import Connections

@Suite struct PhotoTagsTests {
    private func photo(
        _ things: [SeenThing], whole: RegionName.Kind? = nil, orientation: Orientation = .up
    ) -> SeenPhoto {
        SeenPhoto(
            image: ImageInfo(
                storedWidth: 400, storedHeight: 200, format: .jpeg, orientation: orientation,
                sha256: ContentDigest(of: [])),
            things: things, whole: whole, modelName: "m", modelVersion: "1",
            timing: Timing(decode: 0, queue: 0, inference: 0, batchSize: 1))
    }

    private func thing(
        _ label: String, _ confidence: Double = 0.8, breed: (String, Float)? = nil, name: (String, Float)? = nil
    ) -> SeenThing {
        SeenThing(
            region: PictureRegion(x: 0.1, y: 0.2, width: 0.3, height: 0.4), label: label, confidence: confidence,
            breeds: breed.map { [Prediction(label: $0.0, confidence: $0.1)] } ?? [],
            kind: breed.map {
                RegionName.Kind(
                    head: ["cat": "cats", "dog": "dogs"][label] ?? "zoo",
                    prediction: Prediction(label: $0.0, confidence: $0.1))
            },
            individual: name.map { Prediction(label: $0.0, confidence: $0.1) })
    }

    private func paths(_ seen: SeenPhoto, _ language: Language = .english) throws -> Set<String> {
        Set(
            PhotoTags(encyclopaedia: try .bundled(), language: language).tags(of: seen).map {
                $0.path.joined(separator: "/")
            })
    }

    @Test func wordsGoFromTheBroadToTheClose() throws {
        let all = photo([
            thing("cat", breed: ("siamese", 0.9), name: ("Misu", 0.7)), thing("dog", breed: ("boxer", 0.3)),
            thing("horse"), thing("wild cat", breed: ("snow_leopard", 0.9)), thing("chair"), thing("other animal"),
            thing("person"),
        ])
        #expect(
            try paths(all) == [
                "Animals/Cats/Siamese", "Animals/Pets/Misu", "Animals/Dogs", "Animals/Horse", "Animals/Snow leopard",
            ])
        #expect(try paths(all, .finnish).contains("Eläimet/Kissat/Siamilainen"))
        #expect(try paths(photo([thing("chair")])).isEmpty)
    }

    @Test func thePhotoAsAWholeSpeaksWhereNoBoxDoes() throws {
        func whole(_ head: String, _ label: String, _ confidence: Float) -> RegionName.Kind {
            RegionName.Kind(head: head, prediction: Prediction(label: label, confidence: confidence))
        }
        #expect(try paths(photo([], whole: whole("cats", "siamese", 0.9))) == ["Animals/Cats/Siamese"])
        #expect(try paths(photo([], whole: whole("zoo", "snow_leopard", 0.9))) == ["Animals/Snow leopard"])
        #expect(try paths(photo([], whole: whole("zoo", "snow_leopard", 0.4))).isEmpty)
        let both = photo([thing("cat", breed: ("thai", 0.9))], whole: whole("cats", "siamese", 0.9))
        #expect(try paths(both) == ["Animals/Cats/Thai"])
    }

    @Test func regionsLieInThePictureAsItIsStored() throws {
        let misu = thing("cat", name: ("Misu", 0.9))
        let unsure = thing("cat", name: ("Felix", 0.4))
        let upright = SidecarTags(photo([misu, unsure]), tags: [], certainty: 0.5)
        #expect(upright.regions.map(\.name) == ["Misu"] && upright.width == 400 && upright.height == 200)
        #expect(abs(upright.regions[0].x - 0.25) < 1e-9 && abs(upright.regions[0].y - 0.4) < 1e-9)
        // The photo is stored on its right side (EXIF 6), so the top of the upright picture is at the left of the
        // stored one.
        let turned = SidecarTags(photo([misu], orientation: .right), tags: [], certainty: 0.5)
        #expect(abs(turned.regions[0].x - 0.4) < 1e-9 && abs(turned.regions[0].y - 0.75) < 1e-9)
        #expect(abs(turned.regions[0].width - 0.4) < 1e-9 && abs(turned.regions[0].height - 0.3) < 1e-9)
    }

    @Test func deepStackIsToldNoMoreThanItsClientsKnow() {
        let things =
            (0..<30).map { thing("cat", 0.9 - Double($0) / 100) } + [
                thing("other animal", 0.99), thing("Traffic Light", 0.95),
            ]
        let answer = DeepStackAnswer(photo(things), as: .general, from: 0.4, taken: .milliseconds(31), time: "now")
        #expect(answer.predictions.count == 20 && answer.count == 20)
        #expect(answer.predictions.map(\.confidence) == answer.predictions.map(\.confidence).sorted(by: >))
        #expect(answer.predictions[0].label == "traffic light" && !answer.message.contains("animal"))
        #expect(answer.message == "Found traffic light, cat, cat..." && answer.duration == 0.031)
        let box = answer.predictions[1]
        #expect([box.left, box.top, box.right, box.bottom] == [40, 40, 160, 120])
    }

    @Test func namesAndBreedsAreToldWhereTheyAreSureEnough() {
        let seen = photo([
            thing("cat", 0.8, breed: ("siamese", 0.9), name: ("Misu", 0.9)),
            thing("dog", 0.7, breed: ("boxer", 0.3)), thing("person", 0.9),
        ])
        func labels(_ model: DeepStackModel) -> [String] { model.named(seen.things, from: 0.4).map(\.label) }
        #expect(labels(.general) == ["person", "cat", "dog"])
        #expect(labels(.breeds) == ["siamese", "dog"])
        #expect(labels(.pets) == ["Misu", "dog"])
    }

    @Test(arguments: Orientation.allCases) func regionsTurnAsPixelsDo(_ orientation: Orientation) {
        // One bright pixel among 4 × 2 stored ones. The test turns its upright region back to the stored one.
        for place in 0..<8 {
            var bytes = [UInt8](repeating: 0, count: 24)
            bytes[place * 3] = 255
            let upright = orientation.upright(PixelBuffer(width: 4, height: 2, bytes: bytes))
            let index = (upright.bytes.firstIndex(of: 255) ?? 0) / 3
            let (width, height) = (Double(upright.width), Double(upright.height))
            let region = orientation.stored(
                PictureRegion(
                    x: Double(index % upright.width) / width, y: Double(index / upright.width) / height,
                    width: 1 / width, height: 1 / height))
            #expect(abs(region.x - Double(place % 4) / 4) < 1e-9 && abs(region.y - Double(place / 4) / 2) < 1e-9)
            #expect(abs(region.width - 0.25) < 1e-9 && abs(region.height - 0.5) < 1e-9)
        }
    }
}
