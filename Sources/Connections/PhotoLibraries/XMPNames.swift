import Base

/// An XML name with its namespace resolved.
struct XMPName: Hashable, Sendable {
    let namespace: String
    let local: String

    static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    static let regions = "http://www.metadataworkinggroup.com/schemas/regions/"
    static let area = "http://ns.adobe.com/xmp/sType/Area#"
    static let dimensions = "http://ns.adobe.com/xap/1.0/sType/Dimensions#"
    /// This program's namespace for the list of its additions, so that they can be removed again.
    static let menagerie = "urn:menagerie:tags:1/"

    static let root = XMPName(namespace: rdf, local: "RDF")
    static let description = XMPName(namespace: rdf, local: "Description")
    static let added = XMPName(namespace: menagerie, local: "added")
    static let regionInfo = XMPName(namespace: regions, local: "Regions")
}

/// The lists of keywords that photo libraries read, and the list of additions.
enum XMPList: String, CaseIterable, Sendable {
    /// Flat words, read by almost every program.
    case subject = "dc:subject"
    /// Read by Lightroom and Immich: `Animals|Cats|Siamese`.
    case hierarchicalSubject = "lr:hierarchicalSubject"
    /// Read by digiKam and Immich: `Animals/Cats/Siamese`.
    case tagsList = "digiKam:TagsList"

    var name: XMPName {
        let namespace =
            switch self {
            case .subject: "http://purl.org/dc/elements/1.1/"
            case .hierarchicalSubject: "http://ns.adobe.com/lightroom/1.0/"
            case .tagsList: "http://www.digikam.org/ns/1.0/"
            }
        return XMPName(namespace: namespace, local: String(rawValue.drop { $0 != ":" }.dropFirst()))
    }

    /// The kind of list that the schema requires.
    var container: String { self == .tagsList ? "Seq" : "Bag" }

    func text(of tag: PhotoTag) -> String {
        // The separators of all readers must not occur inside a word.
        let path = tag.path.map { $0.replacing(scalar: "/", with: "-").replacing(scalar: "|", with: "-") }
        return switch self {
        case .subject: path.last ?? ""
        case .hierarchicalSubject: path.joined(separator: "|")
        case .tagsList: path.joined(separator: "/")
        }
    }
}

/// The prefixes at a place in a document (Namespaces in XML 1.0).
struct XMPScope {
    private var prefixes: [String: String] = ["xml": "http://www.w3.org/XML/1998/namespace"]

    /// The prefixes inside an element.
    func inside(_ element: XMLElement) -> XMPScope {
        var scope = self
        for (name, value) in element.attributes {
            if name == "xmlns" { scope.prefixes[""] = value }
            if name.hasPrefix("xmlns:") { scope.prefixes[String(name.dropFirst(6))] = value }
        }
        return scope
    }

    /// The resolved name of an element, as seen from outside it.
    func name(of element: XMLElement) -> XMPName {
        let scope = inside(element)
        return scope.resolved(element.name) ?? XMPName(namespace: scope.prefixes[""] ?? "", local: element.name)
    }

    /// Whether an element has the property as an attribute, as seen from outside it.
    func hasAttribute(_ name: XMPName, _ element: XMLElement) -> Bool {
        let scope = inside(element)
        return element.attributes.contains { scope.resolved($0.name) == name }
    }

    /// The name behind a prefix; nil for a name without a prefix.
    private func resolved(_ name: String) -> XMPName? {
        let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        return XMPName(namespace: prefixes[String(parts[0])] ?? "", local: String(parts[1]))
    }
}

extension XMLElement {
    /// For example `rdf:` of `rdf:Bag`. Empty without a prefix.
    var prefix: String {
        name.contains(":") ? name.prefix { $0 != ":" } + ":" : ""
    }

    var localName: Substring { name.contains(":") ? name.drop { $0 != ":" }.dropFirst() : name[...] }

    /// Appends an element with the same indentation as the existing ones.
    mutating func append(_ element: XMLElement) {
        var nodes: [XMLNode] = [.element(element)]
        if let first = children.first, first.isBlank { nodes.insert(first, at: 0) }
        let end = children.last?.isBlank == true ? children.count - 1 : children.count
        children.insert(contentsOf: nodes, at: end)
    }

    /// Removes the matching elements, each with the white space before it.
    mutating func removeElements(where isMeant: (XMLElement) -> Bool) {
        for index in children.indices.reversed() {
            guard index < children.count, let element = children[index].element, isMeant(element) else { continue }
            removeElement(at: index)
        }
    }

    /// Removes an element with the white space before it.
    mutating func removeElement(at index: Int) {
        children.remove(at: index)
        if index > 0, children[index - 1].isBlank { children.remove(at: index - 1) }
    }

    var hasElements: Bool { children.contains { $0.element != nil } }
}
