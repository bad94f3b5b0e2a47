import Foundation

/// The settings of one source. A setting may also name a file that holds its value, as containers pass passwords:
/// `history.postgresql_url_file` for `history.postgresql_url`, `MENAGERIE_HISTORY_POSTGRESQL_URL_FILE` in the
/// environment.
struct SettingLayer {
    /// The names that the source may use.
    let known: Set<String>
    /// The suffix of a name whose value is in a file.
    let suffix: String
    private(set) var texts: [String: (text: String, source: SettingSource)] = [:]

    /// The longest value in a file, in bytes.
    private static let maximumBytes = 65_536

    /// - Returns: false if the setting does not exist.
    /// - Throws: ``SettingsError`` for an unreadable file, and for a value that is given both ways.
    mutating func add(_ name: String, _ text: String, from source: SettingSource) throws(SettingsError) -> Bool {
        if known.contains(name) {
            try set(name, text, source)
            return true
        }
        let target = String(name.dropLast(suffix.count))
        guard name.hasSuffix(suffix), known.contains(target) else { return false }
        try set(target, try Self.content(of: text, name), .content(of: text, namedBy: name))
        return true
    }

    private mutating func set(_ name: String, _ text: String, _ source: SettingSource) throws(SettingsError) {
        guard texts.updateValue((text, source), forKey: name) == nil else {
            throw SettingsError("\(name) and \(name)\(suffix) are both given; one of them is to go.")
        }
    }

    /// The content of a file, without the line end that editors add.
    private static func content(of path: String, _ name: String) throws(SettingsError) -> String {
        let bytes: Data
        do throws(SettingsError) {
            bytes = try Data(ofFile: path, upTo: maximumBytes + 1)
        } catch {
            throw SettingsError("\(name): the file \(path) cannot be used. \(error)")
        }
        guard bytes.count <= maximumBytes, let text = String(data: bytes, encoding: .utf8) else {
            throw SettingsError("\(name): the file \(path) is not a text of at most 64 KiB.")
        }
        return text.trimmingCharacters(in: .newlines)
    }
}
