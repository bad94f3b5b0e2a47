package import Base
import Foundation

/// What people call the things that no article tells of: objects, and the animals of the general classifier.
///
/// The lists are ours and lie under `Names/`: `objects.json` for those of ImageNet's 1,000 classes that have no article,
/// `boxes.json` for the 80 of COCO that detectors find, and `other`, `kinds.json` for the kinds of things that a picture
/// may show. They are kept apart because one label may mean two things: a `kite` is a bird to the first and a toy to the
/// second.
package struct ObjectNames: Sendable {
    /// Names in running text, with a small first letter unless they are proper names.
    package struct Name: Sendable, Codable, Equatable {
        /// nil where the label itself, read as words, is good English.
        package let en: String?
        package let fi: String
    }

    package let objects: [String: Name]
    package let boxes: [String: Name]
    package let kinds: [String: Name]

    /// Reads the lists that come with the program.
    /// - Throws: ``EncyclopaediaError`` that names the file.
    static func bundled() throws -> ObjectNames {
        guard let resources = Bundle.module.resourceURL else {
            throw EncyclopaediaError.missing("the program's bundle")
        }
        func list(_ file: String) throws -> [String: Name] {
            let url = resources.appendingPathComponent("Names").appendingPathComponent(file)
            do {
                return try JSONDecoder().decode([String: Name].self, from: Data(contentsOf: url))
            } catch {
                throw EncyclopaediaError.unreadable(url.path, reason: "\(error)")
            }
        }
        return ObjectNames(
            objects: try list("objects.json"), boxes: try list("boxes.json"), kinds: try list("kinds.json"))
    }

    static let none = ObjectNames(objects: [:], boxes: [:], kinds: [:])
}

/// Where a label comes from, which decides what it means.
package enum LabelOrigin: Sendable {
    /// The head of a classifier, such as `dogs` or `objects`.
    case head(String)
    /// A detector.
    case box
    case unknown
}

extension Encyclopaedia {
    /// What people call a label, beginning with a capital; a label that nobody has named reads as plain words.
    ///
    /// An article's name wins, unless the origin has a name of its own for the label.
    package func name(_ label: String, from origin: LabelOrigin = .unknown, in language: Language) -> String {
        if !ownName(label, origin), let article = self[label] { return article.name[language] }
        let words = label.replacing("_", with: " ")
        let name = objectName(label, origin)
        let text =
            switch language {
            case .english: name?.en ?? words
            case .finnish: name?.fi ?? words
            }
        return text.prefix(1).uppercased() + text.dropFirst()
    }

    /// The article that a label stands for; nil for `cardigan` among the objects, which is more often knitwear than the
    /// Welsh Corgi.
    package func article(_ label: String, from origin: LabelOrigin) -> Article? {
        ownName(label, origin) ? nil : self[label]
    }

    private func ownName(_ label: String, _ origin: LabelOrigin) -> Bool {
        switch origin {
        case .head("objects"): names.objects[label] != nil
        case .head("kinds"): names.kinds[label] != nil
        case .head, .box, .unknown: false
        }
    }

    private func objectName(_ label: String, _ origin: LabelOrigin) -> ObjectNames.Name? {
        let key = Self.key(label)
        return switch origin {
        case .box: names.boxes[key] ?? names.objects[key]
        case .head("kinds"): names.kinds[key] ?? names.objects[key]
        case .head, .unknown: names.objects[key] ?? names.boxes[key]
        }
    }

    /// As the lists spell labels: other people's models write `Traffic light` or `go-kart`.
    private static func key(_ label: String) -> String {
        label.lowercased().replacing(" ", with: "_").replacing("-", with: "_").replacing("'", with: "")
    }
}
