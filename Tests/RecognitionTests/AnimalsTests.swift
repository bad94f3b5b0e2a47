import Base
import Imaging
import Testing

@testable import Recognition

@Suite("Lists of animals: one box each") struct AnimalsTests {
    private func box(
        _ label: String, _ x: Double, _ y: Double, _ side: Double, _ confidence: Float, species: String? = nil
    ) throws -> DetectedBox {
        var box = DetectedBox(
            region: try #require(PictureRegion(x: x, y: y, width: side, height: side)), label: label,
            confidence: confidence)
        box.name.species = species.map {
            RegionName.Kind(head: "zoo", prediction: .init(label: $0, confidence: confidence))
        }
        return box
    }

    @Test func `of a dog in a dog the surer stays, whichever is larger`() throws {
        let (large, small) = (try box("dog", 0.1, 0.1, 0.8, 0.9), try box("dog", 0.2, 0.2, 0.3, 0.6))
        #expect(Animals.distinct([large, small]) == [large])
        let (doubtful, sure) = (try box("dog", 0.1, 0.1, 0.8, 0.5), try box("dog", 0.2, 0.2, 0.3, 0.7))
        #expect(Animals.distinct([doubtful, sure]) == [sure])
    }

    @Test func `dogs beside each other, and a dog before a cat, are two`() throws {
        let dogs = [try box("dog", 0, 0, 0.5, 0.6), try box("dog", 0.2, 0, 0.5, 0.9)]
        #expect(Animals.distinct(dogs) == dogs)
        let both = [try box("dog", 0.1, 0.1, 0.3, 0.6), try box("cat", 0, 0, 0.9, 0.9)]
        #expect(Animals.distinct(both) == both)
    }

    @Test func `two species are two, and an animal of no name is what it lies in`() throws {
        let ox = try box("cow", 0, 0, 0.9, 0.9, species: "ox")
        let sheep = try box("cow", 0.1, 0.1, 0.3, 0.8, species: "finnsheep")
        #expect(Animals.distinct([ox, sheep]) == [ox, sheep])
        #expect(Animals.distinct([ox, try box(RegionNames.animal, 0.1, 0.1, 0.3, 0.8)]) == [ox])
    }
}
