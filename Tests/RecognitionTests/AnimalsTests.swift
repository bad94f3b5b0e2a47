import Base
import Imaging
import Testing

@testable import Recognition

@Suite("Lists of animals: one box each") struct AnimalsTests {
    private func box(
        _ label: String, _ x: Double, _ y: Double, _ side: Double, _ confidence: Float, species: String? = nil
    ) -> DetectedBox {
        var box = DetectedBox(
            region: PictureRegion(x: x, y: y, width: side, height: side), label: label,
            confidence: confidence)
        box.name.species = species.map {
            RegionName.Kind(head: "zoo", prediction: .init(label: $0, confidence: confidence))
        }
        return box
    }

    @Test func `of a dog in a dog the surer stays, whichever is larger`() throws {
        let (large, small) = (box("dog", 0.1, 0.1, 0.8, 0.9), box("dog", 0.2, 0.2, 0.3, 0.6))
        #expect(Animals.distinct([large, small]) == [large])
        let (doubtful, sure) = (box("dog", 0.1, 0.1, 0.8, 0.5), box("dog", 0.2, 0.2, 0.3, 0.7))
        #expect(Animals.distinct([doubtful, sure]) == [sure])
    }

    @Test func `dogs beside each other, and a dog before a cat, are two`() throws {
        let dogs = [box("dog", 0, 0, 0.5, 0.6), box("dog", 0.2, 0, 0.5, 0.9)]
        #expect(Animals.distinct(dogs) == dogs)
        let both = [box("dog", 0.1, 0.1, 0.3, 0.6), box("cat", 0, 0, 0.9, 0.9)]
        #expect(Animals.distinct(both) == both)
    }

    @Test func `two species are two, and an animal of no name is what it lies in`() throws {
        let ox = box("cow", 0, 0, 0.9, 0.9, species: "ox")
        let sheep = box("cow", 0.1, 0.1, 0.3, 0.8, species: "finnsheep")
        #expect(Animals.distinct([ox, sheep]) == [ox, sheep])
        #expect(Animals.distinct([ox, box(RegionNames.animal, 0.1, 0.1, 0.3, 0.8)]) == [ox])
    }
}
