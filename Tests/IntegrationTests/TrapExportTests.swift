import Foundation
import TestSupport
import Testing

/// `GET /history/export?format=megadetector`, as Timelapse and AddaxAI read it.
@Suite(.enabled(if: SharedFolder.isThere)) struct TrapExportTests {
    @Test func whatWasScannedIsListedWithItsBoxes() async throws {
        let photo = [UInt8](try Data(contentsOf: SharedFolder.photos("cat", "maine_coon")[1]))
        try await withOwnService { service in
            let boxed = try await service.classify(photo, query: "animals=always").object()
            let plain = try await service.classify(photo, query: "animals=never").object()
            let drawing = try await service.classify(try #require(ClassifyTests.drawing), query: "").object()
            let answer = try await service.request("GET", "/history/export?format=megadetector")
            #expect(answer.status == 200 && answer.headers["content-type"] == "application/json")
            #expect(answer.headers["content-disposition"]?.hasSuffix(".json\"") == true)
            let document = try answer.object()
            let names = try #require(document["classification_categories"] as? [String: String])
            let images = try #require(document["images"] as? [[String: any Sendable]])
            func detections(_ scan: [String: any Sendable]) throws -> [[String: any Sendable]] {
                let file = "photos/\(scan["id"] as? String ?? "").jpg"
                let image = try #require(images.first { $0["file"] as? String == file }, "\(answer.text)")
                return try #require(image["detections"] as? [[String: any Sendable]])
            }
            let (cat, whole) = (try #require(try detections(boxed).first), try #require(try detections(plain).first))
            for box in [cat, whole] {
                let species = try #require((box["classifications"] as? [[any Sendable]])?.first)
                #expect(box["category"] as? String == "1" && names[species[0] as? String ?? ""] == "Maine Coon")
            }
            // Without boxes the cat's box is the whole picture.
            #expect(whole["bbox"] as? [Double] == [0, 0, 1, 1] && cat["bbox"] as? [Double] != [0, 0, 1, 1])
            #expect(try detections(drawing).isEmpty && images.count == 3)
        }
    }
}
