import Base
import Encyclopaedia
import Foundation
@testable import Imaging
import Recognition
import Testing

@testable import Connections

/// Results in MegaDetector's format. Scripts/test connections runs MegaDetector's own validator on them.
@Suite struct TrapResultsTests {
    private func document(_ entries: [(TrapEntry, String)]) throws -> (text: String, [String: Any]) {
        var results = TrapResults(
            encyclopaedia: try .bundled(), detector: "boxes@3", classifier: "menagerie",
            time: Date(timeIntervalSince1970: 1_795_492_800.5))
        var text = results.beginning
        for (entry, file) in entries { text += results.image(entry, file: file) }
        text += results.end
        return (text, try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]))
    }

    @Test func everyKindOfPictureHasItsForm() throws {
        let cat = TrapThing(
            label: "cat", confidence: 1, x: 0, y: 0.25, width: 1, height: 0.5,
            species: ["maine_coon", "siamese", "thai", "manx"].map { Prediction(label: $0, confidence: 0.25) })
        let others = ["person", "truck", "chair", "other animal"].map {
            TrapThing(label: $0, confidence: 0.5, x: 0, y: 0, width: 1, height: 1)
        }
        var film = TrapEntry(
            photo: "b.mp4",
            things: [TrapThing(label: "dog", confidence: 0.5, x: 0, y: 0, width: 1, height: 1, frame: 30)], model: "m")
        film.frameRate = 30
        film.frames = [0, 30]
        let (text, document) = try document([
            (TrapEntry(photo: "/card/a.jpg", things: [cat] + others, model: "m"), "a \"b\".jpg"),
            (TrapEntry(photo: "/card/c.jpg", error: "broken"), "c.jpg"), (film, "b.mp4"),
            (TrapEntry(photo: "d.jpg", things: [], model: "m"), "d.jpg"),
        ])
        let info = try #require(document["info"] as? [String: Any])
        #expect(info["format_version"] as? String == "1.6" && info["detector"] as? String == "boxes@3")
        #expect(info["detection_completion_time"] as? String == "2026-11-24 04:00:00")
        #expect(
            document["detection_categories"] as? [String: String] == ["1": "animal", "2": "person", "3": "vehicle"])
        let species = try #require(document["classification_categories"] as? [String: String])
        let descriptions = try #require(document["classification_category_descriptions"] as? [String: String])
        #expect(Set(species.keys) == Set(descriptions.keys) && !species.values.contains(""))
        #expect(species.keys.allSatisfy { Int($0) != nil })
        let images = try #require(document["images"] as? [[String: Any]])
        #expect(images.map { $0["file"] as? String } == ["a \"b\".jpg", "c.jpg", "b.mp4", "d.jpg"])
        let found = try #require(images[0]["detections"] as? [[String: Any]])
        // Chairs are left out.
        #expect(found.map { $0["category"] as? String } == ["1", "2", "3", "1"])
        #expect(found[0]["bbox"] as? [Double] == [0, 0.25, 1, 0.5])
        let named = try #require(found[0]["classifications"] as? [[Any]])
        #expect(named.count == 3 && species[named[0][0] as? String ?? ""] == "Maine Coon")
        #expect(found[1]["classifications"] == nil)
        #expect(images[1]["detections"] is NSNull && images[1]["failure"] as? String == "Failure image access")
        #expect(images[2]["frame_rate"] as? Double == 30 && images[2]["frames_processed"] as? [Int] == [0, 30])
        #expect((images[2]["detections"] as? [[String: Any]])?.first?["frame_number"] as? Int == 30)
        #expect((images[3]["detections"] as? [Any])?.isEmpty == true && images[3]["failure"] == nil)
        // MegaDetector's validator requires a float, so 1 is written as 1.0000. The names come first, for readers that
        // work in one pass.
        #expect(text.contains(#""conf":1.0000"#) && !text.contains(#""conf":1,"#))
        let names = try #require(text.range(of: "classification_categories"))
        let pictures = try #require(text.range(of: "\"images\""))
        #expect(names.lowerBound < pictures.lowerBound)
    }

    @Test func aFilmThatCannotBeReadIsToldAsMegaDetectorDoes() throws {
        let (_, document) = try document([
            (TrapEntry(photo: "a.mp4", isFilm: true, error: "This is no video."), "a.mp4")
        ])
        let film = try #require((document["images"] as? [[String: Any]])?.first)
        #expect(film["failure"] as? String == "Failure processing video" && film["detections"] is NSNull)
        #expect(film["frame_rate"] as? Double == -1 && (film["frames_processed"] as? [Any])?.isEmpty == true)
    }

    @Test func framesAreNumberedByTheirTime() {
        var film = TrapEntry(film: "a.mp4", frameRate: 29.97)
        let cat = SeenThing(
            region: PictureRegion(x: 0, y: 0, width: 1, height: 1), label: "cat", confidence: 0.5)
        let seen = SeenPhoto(
            image: ImageInfo(
                storedWidth: 10, storedHeight: 10, format: .jpeg, orientation: .up, sha256: ContentDigest(of: [])),
            things: [cat], modelName: "boxes", modelVersion: "3",
            timing: Timing(decode: 0, queue: 0, inference: 0, batchSize: 1))
        for time in [0, 1.001, 2.002, .infinity] { film.add(seen, at: time) }
        #expect(film.frames == [0, 30, 60] && film.things?.map(\.frame) == [0, 30, 60])
        #expect(film.model == "boxes@3")
    }

    @Test func aRunWithoutPicturesIsAWholeDocument() throws {
        #expect((try document([]).1["images"] as? [Any])?.isEmpty == true)
    }

    @Test func speciesAreDescribedByTheirScientificNames() throws {
        let (_, document) = try document([])
        let species = try #require(document["classification_categories"] as? [String: String])
        let descriptions = try #require(document["classification_category_descriptions"] as? [String: String])
        func description(_ name: String) -> String? {
            species.first { $0.value == name }.flatMap { descriptions[$0.key] }
        }
        #expect(description("Snow leopard") == "panthera uncia")
        #expect(description("Siamese") == "felis catus" && description("Boxer") == "canis familiaris")
    }
}
