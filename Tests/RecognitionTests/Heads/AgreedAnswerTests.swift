import Base
import Foundation
import TestSupport
import Testing

@testable import Recognition

@Suite("Answers that several pictures agree on", .enabled(if: SharedFolder.isThere), .timeLimit(.minutes(2)))
struct AgreedAnswerTests {
    private func cat() async throws -> Classification {
        let recogniser = try TestModels.recogniser(lanes: 1)
        defer { recogniser.stop() }
        let photo = try Data(contentsOf: try SharedFolder.photos("cat", "maine_coon")[0])
        return try await recogniser.classify(Array(photo))
    }

    private func agreed(
        _ label: String, breeds: [Prediction] = [], isSure: Bool = false, species: Prediction? = nil,
        head: String = "zoo"
    ) -> AgreedAnswer? {
        AgreedAnswer(
            label: label, breeds: breeds, isSureOfBreed: isSure,
            species: species.map { RegionName.Kind(head: head, prediction: $0) })
    }

    @Test func `a picture that shows a cat is a beagle if the film says so`() async throws {
        let alone = try await cat()
        #expect(alone.head == "cats")
        let beagle = Prediction(label: "beagle", confidence: 0.7)
        let answer = alone.agreeing(with: agreed("dog", breeds: [beagle], isSure: true))
        #expect(answer.head == "dogs" && answer.species == "dog" && !answer.abstained)
        let listed = answer.predictions(3)
        #expect(listed.first == beagle)
        #expect(listed.dropFirst().reduce(0) { $0 + $1.confidence } <= 0.3001)
        #expect(answer.message(in: .english) == "This dog shares the features of:")
        #expect(answer.presence == alone.presence && answer.image == alone.image)
    }

    @Test func `an unsure breed stays unsure, and its likeliest stand first`() async throws {
        let breeds = [Prediction(label: "birman", confidence: 0.3), Prediction(label: "ragdoll", confidence: 0.2)]
        let answer = try await cat().agreeing(with: agreed("cat", breeds: breeds))
        #expect(answer.abstained && answer.species == "cat")
        #expect(answer.predictions(2) == breeds)
        #expect(answer.message(in: .english) == "I am not sure of the breed, but this cat could be:")
    }

    @Test func `a species of the zoo that the picture does not show is called near`() async throws {
        let lion = Prediction(label: "asiatic_lion", confidence: 0.6)
        let answer = try await cat().agreeing(with: agreed("animal", species: lion))
        #expect(answer.species == "asiatic_lion" && answer.head == "zoo" && answer.predictions(1) == [lion])
        #expect(answer.message(in: .finnish) == "Tämä eläin näyttää olevan tätä lajia tai sen lähisukulainen:")
    }

    @Test func `what has no head stays as the picture says`() async throws {
        #expect(agreed("horse") == nil)
        let alone = try await cat()
        let foreign = try #require(agreed("animal", species: Prediction(label: "yeti", confidence: 1), head: "snow"))
        #expect(alone.agreeing(with: foreign).predictions(3) == alone.predictions(3))
    }

    @Test func `a label that the head lacks changes nothing`() async throws {
        let alone = try await cat()
        let unknown = try #require(agreed("cat", breeds: [Prediction(label: "yeti", confidence: 0.9)], isSure: true))
        #expect(alone.agreeing(with: unknown).predictions(3) == alone.predictions(3))
    }
}
