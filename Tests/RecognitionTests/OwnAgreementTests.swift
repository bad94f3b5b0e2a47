import Base
import Foundation
@testable import Recognition
import TestSupport
import Testing

/// Python's answers to 100 photos, written by `menagerie_training agreement` from the same file.
@Suite(
    "Agreement of our weights with Python", .slow, .enabled(if: TestModels.photosAreThere, TestModels.hint),
    .timeLimit(.minutes(3)))
struct OwnAgreementTests {
    struct Expected: Decodable {
        struct Photo: Decodable {
            let path: String
            /// Whether the second network ran.
            let second: Bool
            /// The likeliest labels of each head.
            let heads: [String: [Entry]]

            func bytes() throws -> [UInt8] {
                [UInt8](try Data(contentsOf: URL(filePath: TestModels.shared + "/data/" + path)))
            }
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
        let secondSHA256: String
        let photos: [Photo]

        private enum CodingKeys: String, CodingKey {
            case sha256, photos
            case secondSHA256 = "second_sha256"
        }
    }

    static func expected() throws -> Expected {
        let file = URL(filePath: TestModels.package + "/Tests/Reference/menagerie.json")
        return try JSONDecoder().decode(Expected.self, from: try Data(contentsOf: file))
    }

    /// Our answers to the photos in float32, for all tests that compare others with them.
    static let exact = Task { try await answers(.f32) }

    static func answers(_ precision: ModelManifest.Precision) async throws -> [Classification] {
        let recogniser = try TestModels.recogniser(precision: precision)
        defer { recogniser.stop() }
        var answers: [Classification] = []
        for photo in try expected().photos { answers.append(try await recogniser.classify(photo.bytes())) }
        return answers
    }

    /// The recorded answers come from the files that are served.
    @Test func `was recorded with these weights`() throws {
        #expect(try Self.expected().sha256 == TestModels.manifest().sha256)
        #expect(try Self.expected().secondSHA256 == TestModels.manifest().cascade?.sha256)
        #expect(try Self.expected().photos.count == 100)
    }

    /// Both sides start from the photo's bytes and decode, resize and crop independently. They compute in float32, with
    /// quantised values rounded as in the file. AVX2 and AVX-512 agree, since the weights become floating point.
    @Test func `first labels are the same and probabilities within 0_01`() async throws {
        let expected = try Self.expected()
        var (answers, same) = (0, 0)
        var differences: [Float] = []
        for (photo, answer) in zip(expected.photos, try await Self.exact.value) {
            #expect((answer.timing.secondStage != nil) == photo.second, "\(photo.path)")
            for (head, entries) in photo.heads {
                let ours = try #require(answer.answer(of: head))
                // The background class of a head is recorded, but never answered.
                let entries = entries.filter { ours.confidence(of: $0.label) != nil }
                let isSame = ours.first?.label == entries.first?.label
                #expect(isSame, "\(head) of \(photo.path)")
                answers += 1
                same += isSame ? 1 : 0
                for entry in entries {
                    let apart = abs((ours.confidence(of: entry.label) ?? 0) - entry.probability)
                    #expect(apart <= 0.01, "\(head).\(entry.label) of \(photo.path)")
                    differences.append(apart)
                }
            }
        }
        let mean = differences.reduce(0, +) / Float(differences.count)
        print("\(same) of \(answers) first labels; probabilities \(mean) apart, at most \(differences.max() ?? 0)")
        #expect(answers == 800)
        #expect(same == 800 && mean <= 0.001)
    }
}
