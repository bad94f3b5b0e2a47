import Learning
import Testing

/// Simulates animals as clusters in a space of 32 features.
@Suite struct IndividualClassifierTests {
    private func photo(_ animal: Int, _ number: Int, spread: Float = 0.4) -> [Float] {
        var random = SplitMix64(seed: UInt64(animal * 1_000 + number))
        func value() -> Float { Float(random.next() >> 40) / Float(1 << 24) - 0.5 }
        var place = SplitMix64(seed: UInt64(900_000 + animal))
        return (0..<32).map { _ in Float(place.next() >> 40) / Float(1 << 24) - 0.5 + value() * spread }
    }

    private func classifier(animals: Range<Int>, photos: Int, strangers: Range<Int>) -> IndividualClassifier {
        let all = animals.flatMap { animal in (0..<photos).map { (animal, [photo(animal, $0)]) } }
        return IndividualClassifier(
            all.map(\.1), owners: all.map { $0.0 - animals.lowerBound }, count: animals.count,
            strangers: strangers.map { photo($0, 0) })
    }

    @Test func animalsAreKnownAgainAndStrangersAreNot() throws {
        let classifier = classifier(animals: 0..<4, photos: 3, strangers: 10..<30)
        #expect(classifier.quality.accuracy == 1 && classifier.quality.photos == 12)
        #expect(try #require(classifier.quality.strangerAuroc) > 0.95)
        for animal in 0..<4 {
            let answer = classifier.probabilities(of: photo(animal, 77))
            #expect(answer.count == 5 && abs(answer.reduce(0, +) - 1) < 1e-6)
            #expect(answer.indices.max { answer[$0] < answer[$1] } == animal, "\(answer)")
        }
        let refused = (100..<120).count { stranger in
            let answer = classifier.probabilities(of: photo(stranger, 5))
            return answer.indices.max { answer[$0] < answer[$1] } == 4
        }
        #expect(refused >= 18)
    }

    @Test func onePhotoOfOneAnimalIsEnoughToBegin() {
        let classifier = classifier(animals: 0..<1, photos: 1, strangers: 0..<0)
        #expect(classifier.quality.accuracy == nil && classifier.quality.strangerAuroc == nil)
        let same = classifier.probabilities(of: photo(0, 0))
        let other = classifier.probabilities(of: photo(50, 0))
        #expect(same[0] > same[1] && other[0] < same[0])
    }

    @Test func anAnimalThatNobodyNamedYetDoesNotMoveTheThreshold() {
        let all = (0..<2).flatMap { animal in (0..<4).map { (animal, [photo(animal, $0)]) } }
        // The unknown animals are further photos of the same two animals.
        let classifier = IndividualClassifier(
            all.map(\.1), owners: all.map(\.0), count: 2,
            strangers: (0..<2).flatMap { animal in (20..<26).map { photo(animal, $0) } }
                + (10..<20).map { photo($0, 0) })
        for animal in 0..<2 {
            let known = (40..<50).count { number in
                let answer = classifier.probabilities(of: photo(animal, number))
                return answer.indices.max { answer[$0] < answer[$1] } == animal
            }
            #expect(known >= 8)
        }
    }
}
