package import Base

/// The names of things without an article: objects, and the animals of the general classifier.
///
/// The lists are the project's own and lie under `Names/`: `objects.json` for the classes of ImageNet's 1,000 without
/// an article, `boxes.json` for COCO's 80 and `other`, which detectors find, `kinds.json` for the kinds of things in a
/// picture, and `drawings.json` for what drawings show. Separate lists are necessary, because one label may mean two
/// things: a `kite` is a bird in the first and a toy in the second.
package struct ObjectNames: Sendable {
    /// A name in running text. The first letter is small except in proper names.
    package struct Name: Sendable, Codable, Equatable {
        /// The English name; nil if the label itself, read as words, is good English.
        package let en: String?
        package let fi: String
    }

    package let objects: [String: Name]
    package let boxes: [String: Name]
    package let kinds: [String: Name]
    package let drawings: [String: Name]

    /// Reads the lists that come with the program.
    /// - Throws: ``EncyclopaediaError``, which names the file.
    static func bundled() throws(EncyclopaediaError) -> ObjectNames {
        ObjectNames(
            objects: try Resources.names("objects"), boxes: try Resources.names("boxes"),
            kinds: try Resources.names("kinds"), drawings: try Resources.names("drawings"))
    }

    static let none = ObjectNames(objects: [:], boxes: [:], kinds: [:], drawings: [:])
}

/// The source of a label, which decides its meaning.
package enum LabelOrigin: Sendable {
    /// The head of a classifier, such as `dogs` or `objects`.
    case head(String)
    case box
    case unknown
}

extension Encyclopaedia {
    /// The name of a label, with a capital first letter. A label without a name is read as plain words.
    ///
    /// An article's name wins, unless the origin has its own name for the label.
    package func name(_ label: String, from origin: LabelOrigin = .unknown, in language: Language) -> String {
        if let article = article(label, from: origin) { return article.name[language] }
        let words = label.replacing("_", with: " ")
        let key = Self.key(label)
        let name = ownNames(origin)?[key] ?? names.objects[key] ?? names.boxes[key]
        let text =
            switch language {
            case .english: name?.en ?? words
            case .finnish: name?.fi ?? words
            }
        return text.prefix(1).uppercased() + text.dropFirst()
    }

    /// The article for a label. It is nil for `cardigan` among the objects, which is more often knitwear than the Welsh
    /// Corgi.
    package func article(_ label: String, from origin: LabelOrigin) -> Article? {
        if case .box = origin { return self[label] }
        return ownNames(origin)?[label] == nil ? self[label] : nil
    }

    private func ownNames(_ origin: LabelOrigin) -> [String: ObjectNames.Name]? {
        switch origin {
        case .box: names.boxes
        case .head("objects"): names.objects
        case .head("kinds"): names.kinds
        case .head("drawings"): names.drawings
        case .head, .unknown: nil
        }
    }

    /// The label in the spelling of the lists. Other people's models write `Traffic light` or `go-kart`.
    private static func key(_ label: String) -> String {
        label.lowercased().replacing(" ", with: "_").replacing("-", with: "_").replacing("'", with: "")
    }
}
