import Base
package import Encyclopaedia
import Recognition

/// The numbers that the format has for names: always the same for the same version of the program, so that files of several
/// runs can be put together.
package struct TrapCategories: Sendable {
    /// What a thing is to a camera trap.
    static let detection = ["1": "animal", "2": "person", "3": "vehicle"]

    private static let vehicles: Set<String> = [
        "vehicle", "bicycle", "car", "motorcycle", "bus", "train", "truck", "boat",
    ]

    struct Species: Sendable {
        let name: String
        /// In the form of a taxonomy from the class on, or the name where the encyclopaedia knows no other.
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

    /// The scientific name, where there is one: cats and dogs of all breeds are one species each.
    private static func description(_ article: Article?, _ label: String) -> String {
        let pets = ["cat": "Felis catus", "dog": "Canis familiaris"]
        return (article?.scientificName ?? pets[article?.species ?? label] ?? label).lowercased()
    }

    /// nil for what no camera trap looks for, such as a chair.
    static func category(of label: String) -> String? {
        // MegaDetector itself, run here, says no more than that.
        if label == "animal" || Animals.labels.contains(label) { return "1" }
        if label == "person" { return "2" }
        return vehicles.contains(label) ? "3" : nil
    }

    func number(of label: String) -> String? { numbers[label].map(String.init) }
}
