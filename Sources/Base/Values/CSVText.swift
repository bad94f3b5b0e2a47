/// Comma-separated values by RFC 4180.
package enum CSVText {
    /// A line with its line end. Its fields are ``harmless(_:)``, and quoted if necessary.
    package static func line(_ fields: [String]) -> String {
        fields.map { quoted(harmless($0)) }.joined(separator: ",") + "\r\n"
    }

    /// A spreadsheet would run text that begins like a formula, in Japan also with wide signs. A leading apostrophe
    /// prevents that.
    package static func harmless(_ text: String) -> String {
        let signs = "=+-@\t\r\n＝＋－＠".unicodeScalars
        guard let first = text.unicodeScalars.first, signs.contains(first) else { return text }
        return "'" + text
    }

    private static func quoted(_ field: String) -> String {
        guard field.utf8.contains(where: { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }) else { return field }
        return "\"" + field.replacing(scalar: "\"", with: "\"\"") + "\""
    }
}
