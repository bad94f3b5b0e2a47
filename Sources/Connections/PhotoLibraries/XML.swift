import Base

/// A part of an XML document. Unchanged parts are written back byte for byte.
indirect enum XMLNode: Sendable, Equatable {
    case element(XMLElement)
    /// Unparsed text, comments, processing instructions and CDATA sections.
    case raw(String)

    var element: XMLElement? {
        if case .element(let element) = self { element } else { nil }
    }

    var isBlank: Bool {
        if case .raw(let text) = self { text.allSatisfy(\.isWhitespace) } else { false }
    }
}

/// An element with its attributes and content.
struct XMLElement: Sendable, Equatable {
    /// The name with its prefix, such as `dc:subject`.
    let name: String
    /// The unparsed text behind the name in the start tag.
    var attributeText: String
    var children: [XMLNode]
    /// Whether it is written as `<name/>`.
    var isSelfClosing = false
    /// The unparsed text behind the name in the end tag.
    var endSpace = ""

    init(_ name: String, _ attributeText: String = "", _ children: [XMLNode] = []) {
        self.name = name
        self.attributeText = attributeText
        self.children = children
    }

    /// The attributes in order, with references resolved.
    var attributes: [(name: String, value: String)] {
        var attributes: [(name: String, value: String)] = []
        // Bytes, because a regular expression takes a minute for the megabytes of a picture's depths or masks.
        var rest = attributeText.utf8[...]
        while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
            let name = rest[..<equals].split { $0 <= 0x20 }.last
            rest = rest[equals...].dropFirst().drop { $0 <= 0x20 }
            guard let name, let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
                let end = rest.dropFirst().firstIndex(of: quote)
            else { continue }
            let value = String(decoding: rest[..<end].dropFirst(), as: UTF8.self)
            attributes.append((String(decoding: name, as: UTF8.self), XMLText.unescaped(value)))
            rest = rest[end...].dropFirst()
        }
        return attributes
    }

    /// The text directly in the element, with references resolved.
    var text: String {
        XMLText.unescaped(
            children.map { if case .raw(let text) = $0, !text.hasPrefix("<") { text } else { "" } }.joined())
    }
}

/// References to characters (XML 1.0 §4.6).
enum XMLText {
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            // XML 1.0 cannot represent other control characters.
            case _ where character.value < 0x20 && character != "\t" && character != "\n": break
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }

    static func unescaped(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        return text.replacing(/&(?:#x([0-9A-Fa-f]{1,6})|#([0-9]{1,7})|(amp|lt|gt|quot|apos));/) { match in
            let named = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
            if let name = match.output.3 { return named[String(name)] ?? "" }
            let code = match.output.1.flatMap { UInt32($0, radix: 16) } ?? match.output.2.flatMap { UInt32($0) }
            return code.flatMap(Unicode.Scalar.init).map { String($0) } ?? ""
        }
    }
}

/// The reason why a text is not readable XML.
struct XMLError: Error, Equatable, CustomStringConvertible {
    /// The position of the fault in bytes.
    let offset: Int
    let reason: String

    var description: String { "at byte \(offset): \(reason)" }
}

/// Reads the XML of sidecars: well-formed elements without a document type. A document type could define entities that
/// expand without bound or read other files.
struct XMLReader {
    /// The deepest nesting of elements.
    static let maximumDepth = 64

    private let bytes: [UInt8]
    private var position = 0

    static func nodes(in bytes: [UInt8]) throws(XMLError) -> [XMLNode] {
        var reader = XMLReader(bytes: bytes)
        let nodes = try reader.nodes(in: nil, depth: 0)
        guard reader.position == bytes.count else { throw reader.fault("an end tag without its start") }
        guard nodes.contains(where: { $0.element != nil }) else { throw reader.fault("no element") }
        return nodes
    }

    private func fault(_ reason: String) -> XMLError { XMLError(offset: position, reason: reason) }

    private func starts(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard position + count <= bytes.count else { return false }
        return (0..<count).allSatisfy { bytes[position + $0] == text.utf8Start[$0] }
    }

    private func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// Reads up to the end tag of the element, or to the end of the document.
    private mutating func nodes(in parent: String?, depth: Int) throws(XMLError) -> [XMLNode] {
        guard depth <= Self.maximumDepth else { throw fault("more than \(Self.maximumDepth) elements in one another") }
        var nodes: [XMLNode] = []
        while position < bytes.count {
            if starts("</") { return nodes }
            if starts("<!--") {
                nodes.append(.raw(try raw(to: "-->")))
            } else if starts("<![CDATA[") {
                nodes.append(.raw(try raw(to: "]]>")))
            } else if starts("<?") {
                nodes.append(.raw(try raw(to: "?>")))
            } else if starts("<!") {
                throw fault("a document type, which sidecars have not")
            } else if starts("<") {
                nodes.append(.element(try element(depth: depth)))
            } else {
                let start = position
                while position < bytes.count, bytes[position] != UInt8(ascii: "<") { position += 1 }
                nodes.append(.raw(string(start..<position)))
            }
        }
        guard parent == nil else { throw fault("the document ends inside <\(parent ?? "")>") }
        return nodes
    }

    private mutating func raw(to end: StaticString) throws(XMLError) -> String {
        let start = position
        while position < bytes.count {
            if starts(end) {
                position += end.utf8CodeUnitCount
                return string(start..<position)
            }
            position += 1
        }
        throw XMLError(offset: start, reason: "\(end) is missing")
    }

    private mutating func element(depth: Int) throws(XMLError) -> XMLElement {
        position += 1
        let name = name()
        guard !name.isEmpty else { throw fault("a < without a name") }
        let start = position
        // An attribute's value may contain `>`.
        var quote: UInt8?
        while position < bytes.count {
            let byte = bytes[position]
            if let open = quote {
                if byte == UInt8(ascii: "<") { throw fault("a < in an attribute") }
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") || byte == UInt8(ascii: "<") {
                break
            }
            position += 1
        }
        guard starts(">") else { throw fault("the tag <\(name) does not end") }
        let isSelfClosing = position > start && bytes[position - 1] == UInt8(ascii: "/")
        var element = XMLElement(name, string(start..<(isSelfClosing ? position - 1 : position)))
        element.isSelfClosing = isSelfClosing
        position += 1
        if isSelfClosing { return element }
        element.children = try nodes(in: name, depth: depth + 1)
        guard starts("</") else { throw fault("<\(name)> does not end") }
        position += 2
        guard self.name() == name else { throw fault("an end tag that is not </\(name)>") }
        let end = position
        while position < bytes.count, bytes[position] <= 0x20 { position += 1 }
        element.endSpace = string(end..<position)
        guard starts(">") else { throw fault("the tag </\(name) does not end") }
        position += 1
        return element
    }

    private mutating func name() -> String {
        let start = position
        while position < bytes.count, bytes[position] > 0x20,
            ![UInt8(ascii: ">"), UInt8(ascii: "/"), UInt8(ascii: "<"), UInt8(ascii: "=")].contains(bytes[position])
        { position += 1 }
        return string(start..<position)
    }
}

extension XMLNode {
    /// Writes the document.
    static func text(of nodes: [XMLNode]) -> String {
        var text = ""
        for node in nodes { node.write(to: &text) }
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .raw(let raw): text += raw
        case .element(let element):
            text += "<\(element.name)\(element.attributeText)"
            guard !element.isSelfClosing || !element.children.isEmpty else {
                text += "/>"
                return
            }
            text += ">"
            for child in element.children { child.write(to: &text) }
            text += "</\(element.name)\(element.endSpace)>"
        }
    }
}
