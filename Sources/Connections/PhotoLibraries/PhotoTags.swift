package import Base
package import Encyclopaedia
import Recognition

/// A keyword with its parents, such as Animals, Cats, Siamese.
package struct PhotoTag: Sendable, Hashable {
    /// From the most general to the most specific word. Never empty.
    package let path: [String]
    package let confidence: Double

    /// The most specific word.
    package var name: String { path.last ?? "" }
}

/// Derives keywords for photo libraries from the animals in a photo.
package struct PhotoTags: Sendable {
    private let encyclopaedia: Encyclopaedia
    private let language: Language
    /// The least confidence for a breed, a species or an animal's own name, 0…1.
    private let certainty: Double

    package init(encyclopaedia: Encyclopaedia, language: Language, certainty: Double = 0.5) {
        self.encyclopaedia = encyclopaedia
        self.language = language
        self.certainty = certainty
    }

    /// The general words in both languages.
    private struct Words {
        let animals, cats, dogs, pets: String

        init(_ language: Language) {
            (animals, cats, dogs, pets) =
                switch language {
                case .english: ("Animals", "Cats", "Dogs", "Pets")
                case .finnish: ("Eläimet", "Kissat", "Koirat", "Lemmikit")
                }
        }
    }

    /// The tags without duplicates, the surest first. Empty if the photo shows no animal.
    package func tags(of seen: SeenPhoto) -> [PhotoTag] {
        let words = Words(language)
        var surest: [[String]: Double] = [:]
        func add(_ path: [String], _ confidence: Double) {
            surest[[words.animals] + path] = max(surest[[words.animals] + path] ?? 0, confidence)
        }
        for thing in seen.things where thing.isAnimal {
            if let individual = thing.individual, Double(individual.confidence) >= certainty {
                add([words.pets, individual.label], Double(individual.confidence))
            }
            let group = ["cat": words.cats, "dog": words.dogs][thing.label]
            if let kind = thing.kind, Double(kind.prediction.confidence) >= certainty {
                let name = encyclopaedia.name(kind.prediction.label, from: .head(kind.head), in: language)
                add([group, name].compactMap(\.self), Double(kind.prediction.confidence))
            } else if let group {
                add([group], thing.confidence)
            } else if encyclopaedia[thing.label] != nil || COCOLabels.all.contains(thing.label) {
                // A label that is not a species adds only the general word.
                add([encyclopaedia.name(thing.label, from: .box, in: language)], thing.confidence)
            }
        }
        if let whole = seen.whole, Double(whole.prediction.confidence) >= certainty {
            let name = encyclopaedia.name(whole.prediction.label, from: .head(whole.head), in: language)
            let kind = ["cats": words.cats, "dogs": words.dogs][whole.head]
            // Cats and dogs have breeds by their own boxes.
            if kind == nil || !seen.things.contains(where: { $0.label + "s" == whole.head }) {
                add([kind, name].compactMap(\.self), Double(whole.prediction.confidence))
            }
        }
        return surest.map { PhotoTag(path: $0, confidence: $1) }
            .sorted { ($1.confidence, $0.path.joined()) < ($0.confidence, $1.path.joined()) }
    }
}
