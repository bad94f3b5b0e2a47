/// A media type (RFC 9110 §8.3.1). Type, subtype and parameter names are in lower case.
package struct MediaType: Hashable, Sendable, CustomStringConvertible {
    /// A parameter such as `charset=utf-8`.
    package struct Parameter: Hashable, Sendable {
        package let name: String
        package let value: String
    }

    package let type: String
    package let subtype: String
    package let parameters: [Parameter]
    /// The type as it is written in a message. It is made once, because most responses need it.
    package let description: String

    package init(_ type: String, _ subtype: String, parameters: [Parameter] = []) {
        self.type = type
        self.subtype = subtype
        self.parameters = parameters
        description = Self.text(type, subtype, parameters)
    }

    /// Reads `type/subtype;name=value;name="quoted"`; nil if the text does not have that form.
    package init?(_ text: String) {
        var scanner = FieldScanner(text)
        scanner.skipBlanks()
        guard let type = scanner.token(), scanner.take(UInt8(ascii: "/")), let subtype = scanner.token() else {
            return nil
        }
        var parameters: [Parameter] = []
        while true {
            scanner.skipBlanks()
            if scanner.isAtEnd { break }
            guard scanner.take(UInt8(ascii: ";")) else { return nil }
            scanner.skipBlanks()
            // RFC 9110 §5.6.6 allows an empty parameter.
            if scanner.isAtEnd || scanner.isNext(UInt8(ascii: ";")) { continue }
            guard let name = scanner.token(), scanner.take(UInt8(ascii: "=")),
                let value = scanner.token() ?? scanner.quotedString()
            else { return nil }
            parameters.append(Parameter(name: name.lowercased(), value: value))
        }
        self.init(type.lowercased(), subtype.lowercased(), parameters: parameters)
    }

    /// The type without parameters, such as `image/jpeg`.
    package var essence: String { "\(type)/\(subtype)" }

    /// The first parameter of that name, which has to be in lower case.
    package func parameter(_ name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    private static func text(_ type: String, _ subtype: String, _ parameters: [Parameter]) -> String {
        parameters.reduce(into: "\(type)/\(subtype)") { text, parameter in
            let isToken = !parameter.value.isEmpty && parameter.value.utf8.allSatisfy(ByteClass.isToken)
            let quoted = parameter.value.reduce(into: "") { result, character in
                if character == "\"" || character == "\\" { result.append("\\") }
                result.append(character)
            }
            text += "; \(parameter.name)=" + (isToken ? parameter.value : "\"\(quoted)\"")
        }
    }

    package static let json = MediaType("application", "json")
    package static let text = MediaType("text", "plain", parameters: [Parameter(name: "charset", value: "utf-8")])
    package static let csv = MediaType("text", "csv", parameters: [Parameter(name: "charset", value: "utf-8")])
    package static let eventStream = MediaType("text", "event-stream")
    package static let jpeg = MediaType("image", "jpeg")
    package static let zip = MediaType("application", "zip")
    package static let octetStream = MediaType("application", "octet-stream")
}
