import Base
package import Encyclopaedia
import Recognition

/// The format's numbers for names. A version of the program always uses the same numbers, so that files of several runs
/// can be merged.
package struct TrapCategories: Sendable {
    static let detection = ["1": "animal", "2": "person", "3": "vehicle"]

    private static let vehicles: Set<String> = [
        "vehicle", "bicycle", "car", "motorcycle", "bus", "train", "truck", "boat",
    ]

    struct Species: Sendable {
        let name: String
        /// Ranks of the taxonomy from the class on, or only the name if the encyclopaedia has no other.
        let description: String
    }

    /// In the order of their numbers, from 0.
    let species: [Species]
    private let numbers: [String: Int]

    package init(_ encyclopaedia: Encyclopaedia) {
        let articles = encyclopaedia.articles.filter { $0.kind != .fruit }
        let animals = Animals.labels.subtracting(articles.map(\.id))
        let labels = (articles.map(\.id) + animals).sorted()
        species = labels.map { label in
            let article = encyclopaedia[label]
            return Species(
                name: article?.name.en ?? encyclopaedia.name(label, from: .box, in: .english),
                description: Self.description(article, label))
        }
        numbers = Dictionary(uniqueKeysWithValues: labels.enumerated().map { ($1, $0) })
    }

    /// The description uses the scientific name if there is one. All breeds of cats and dogs share a species.
    private static func description(_ article: Article?, _ label: String) -> String {
        let pets = ["cat": "Felis catus", "dog": "Canis familiaris"]
        return (article?.scientificName ?? pets[article?.species ?? label] ?? label).lowercased()
    }

    /// Nil for objects that camera traps ignore, such as a chair.
    static func category(of label: String) -> String? {
        // The MegaDetector model itself can run here too. Its labels are no finer than this.
        if label == "animal" || Animals.labels.contains(label) { return "1" }
        if label == "person" { return "2" }
        return vehicles.contains(label) ? "3" : nil
    }

    func number(of label: String) -> String? { numbers[label].map(String.init) }
}
