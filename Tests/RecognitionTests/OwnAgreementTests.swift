import Foundation
import Testing

@testable import Recognition

/// Python's answers to 100 photos, written by `menagerie_training agreement` from the same file.
@Suite(
    "Agreement of our weights with Python", .enabled(if: TestModels.photosAreThere, TestModels.hint),
    .timeLimit(.minutes(3)))
struct OwnAgreementTests {
    struct Expected: Decodable {
        struct Photo: Decodable {
            let path: String
            /// Head → the likeliest labels.
            let heads: [String: [Entry]]
        }

        struct Entry: Decodable {
            let label: String
            let probability: Float

            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                label = try container.decode(String.self)
                probability = try container.decode(Float.self)
            }
        }

        let sha256: String
        let photos: [Photo]
    }

    static func expected() throws -> Expected {
        let file = URL(filePath: TestModels.package + "/Tests/Reference/menagerie.json")
        return try JSONDecoder().decode(Expected.self, from: try Data(contentsOf: file))
    }

    /// The answers are about the file that is served.
    @Test func `was recorded with these weights`() throws {
        #expect(try Self.expected().sha256 == TestModels.manifest().sha256)
        #expect(try Self.expected().photos.count == 100)
    }

    /// From the photo's bytes on: both sides decode, resize and cut by their own means; int8 is so on both, the rest float32.
    @Test func `first labels are the same and probabilities within 0_01`() async throws {
        var options = RecogniserOptions(modelsDirectory: TestModels.directory, cores: 2)
        options.engine.precision = .f32
        let recogniser = try Recogniser(options: options)
        defer { recogniser.stop() }
        var largest: (apart: Float, what: String) = (0, "")
        for photo in try Self.expected().photos {
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: TestModels.shared + "/data/" + photo.path)))
            let answer = try await recogniser.classify(bytes)
            for (head, entries) in photo.heads {
                let ours = try #require(answer.answer(of: head))
                #expect(ours.first?.label == entries.first?.label, "\(head) of \(photo.path)")
                for entry in entries {
                    let apart = abs((ours.confidence(of: entry.label) ?? 0) - entry.probability)
                    #expect(apart <= 0.01, "\(head).\(entry.label) of \(photo.path)")
                    if apart > largest.apart { largest = (apart, "\(head).\(entry.label) of \(photo.path)") }
                }
            }
        }
        print("largest difference of probability: \(largest.apart), \(largest.what)")
    }
}
