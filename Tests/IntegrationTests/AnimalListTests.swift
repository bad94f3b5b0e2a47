import Foundation
import Imaging
import TestSupport
import Testing

@Suite("Lists of animals", .enabled(if: SharedFolder.isThere), .timeLimit(.minutes(5))) struct AnimalListTests {
    private func pixels(_ group: String, _ label: String, _ index: Int, side: Int) throws -> PixelBuffer {
        let photo = [UInt8](try Data(contentsOf: SharedFolder.photos(group, label)[index]))
        return try ImageSource(photo).pixels(DecodeRequest(width: side, height: side))
    }

    /// A Maine Coon on the left, a Beagle on the right.
    private func pair() throws -> [UInt8] {
        var picture = Canvas(width: 640, height: 320, grey: 120)
        picture.paste(try pixels("cat", "maine_coon", 1, side: 300), left: 10, top: 10)
        picture.paste(try pixels("dog", "beagle", 0, side: 300), left: 330, top: 10)
        return picture.bitmap
    }

    private func animals(_ answer: [String: any Sendable]) -> [[String: any Sendable]] {
        answer["animals"] as? [[String: any Sendable]] ?? []
    }

    @Test func `a cat and a dog are listed, each with its box and breed, and kept`() async throws {
        let photo = try pair()
        try await withService { service in
            let response = try await service.classify(photo, query: "animals=auto&lang=en", type: "image/bmp")
            #expect(response.status == 200, "\(response.text)")
            let answer = try response.object()
            let found = animals(answer)
            #expect(found.count >= 2, "\(response.text)")
            #expect(
                (answer["message"] as? String)?.hasPrefix("There are \(found.count) animals in this picture. ") == true)
            let cat = try #require(found.first { $0["label"] as? String == "cat" }, "\(found)")
            let dog = try #require(found.first { $0["label"] as? String == "dog" }, "\(found)")
            let left = try #require(cat["x"] as? Double)
            let right = try #require(dog["x"] as? Double)
            #expect(left < right && (cat["breed"] as? [String: any Sendable])?["label"] as? String == "maine_coon")
            #expect((dog["breed"] as? [String: any Sendable])?["label"] as? String == "beagle")

            let id = try #require(answer["id"] as? String)
            let scan = try await service.request("GET", "/history/\(id)").object()
            #expect(animals(scan).count == found.count && scan["message"] as? String == answer["message"] as? String)
            let finnish = try await service.classify(
                photo, query: "animals=always&lang=fi&save=false", type: "image/bmp"
            ).object()
            #expect((finnish["message"] as? String)?.hasPrefix("Tässä kuvassa on \(found.count) eläintä. ") == true)
        }
    }

    @Test func `no detector runs without a request, or without an animal`() async throws {
        let photo = try pair()
        try await withService { service in
            for query in ["", "animals=never"] {
                let plain = try await service.classify(photo, query: "save=false&\(query)", type: "image/bmp").object()
                #expect(plain["animals"] == nil && plain["boxes"] == nil)
            }
            let grey = Canvas(width: 300, height: 200, grey: 120).bitmap
            let auto = try await service.classify(grey, query: "save=false&animals=auto", type: "image/bmp").object()
            #expect(auto["boxes"] == nil && auto["animals"] == nil)
            let always = try await service.classify(grey, query: "save=false&animals=always", type: "image/bmp")
                .object()
            #expect((always["boxes"] as? [any Sendable])?.isEmpty == true && always["animals"] == nil)
        }
    }

    @Test func `one animal is listed without a word about it`() async throws {
        let photo = [UInt8](try Data(contentsOf: SharedFolder.photos("cat", "maine_coon")[1]))
        try await withService { service in
            let plain = try await service.classify(photo, query: "save=false").object()
            let listed = try await service.classify(photo, query: "save=false&animals=auto").object()
            #expect(animals(listed).count == 1 && listed["message"] as? String == plain["message"] as? String)
        }
    }

    @Test func `what cannot be is refused`() async throws {
        let photo = try pair()
        try await withService { service in
            let fused = try await service.classify(photo, query: "animals=always&fuse=true", type: "image/bmp")
            #expect(fused.status == 400 && fused.text.contains("fuse=true"))
            let wrong = try await service.classify(photo, query: "animals=some", type: "image/bmp")
            #expect(wrong.status == 400 && wrong.text.contains("never, auto, always"))
        }
        try await ServiceWithModels.with(squeezenets: [], detector: false) { all in
            let always = try await all.service.classify(photo, query: "save=false&animals=always", type: "image/bmp")
            #expect(always.status == 409, "\(always.text)")
            let auto = try await all.service.classify(photo, query: "save=false&animals=auto", type: "image/bmp")
            let answer = try auto.object()
            #expect(auto.status == 200 && answer["boxes"] == nil)
        }
    }
}
