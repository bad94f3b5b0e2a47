/// One key of the configuration: its name, its meaning, and its values.
///
/// The same declaration serves the parser, the range check, `--help` and the comments of `Config/menagerie.json`.
struct Setting<Value: SettingValue>: Sendable {
    /// The dotted name, such as `http.port`. Groups are objects in the file and underscores in the environment.
    let name: String
    let defaultValue: Value
    /// The allowed values. Nil allows every value of the type.
    let allowed: Value.Allowed?
    /// One sentence, with the unit.
    let summary: String

    init(_ name: String, default defaultValue: Value, in allowed: Value.Allowed? = nil, _ summary: String) {
        self.name = name
        self.defaultValue = defaultValue
        self.allowed = allowed
        self.summary = summary
    }

    /// Reads a value from its text.
    /// - Throws: ``SettingsError`` that names the key, the value, its source and what would be right.
    func parse(_ text: String, from source: SettingSource) throws(SettingsError) -> Value {
        guard let value = Value(settingText: text), allowed.map({ value.isWithin($0) }) ?? true else {
            if case .content = source { throw SettingsError("\(name) (\(source)) has to be \(expectation).") }
            throw SettingsError("\(name) is \"\(text)\" (\(source)), but has to be \(expectation).")
        }
        return value
    }
}

/// A ``Setting`` with its value type erased, for lists of all settings.
protocol AnySetting: Sendable {
    var name: String { get }
    var summary: String { get }
    /// The default as the JSON file writes it.
    var defaultJSON: String { get }
    /// The allowed values in words: "a whole number from 0 to 65535".
    var expectation: String { get }
    /// Whether every text is a value.
    var isFreeText: Bool { get }
    /// Checks a text and discards the value.
    func validate(_ text: String, from source: SettingSource) throws(SettingsError)
    /// The value in use if it is a number. Nil for texts and for yes or no.
    func number(in settings: Settings) -> Double?
}

extension Setting: AnySetting {
    func number(in settings: Settings) -> Double? {
        switch settings[self] {
        case let whole as Int: Double(whole)
        case let number as Double: number
        default: nil
        }
    }

    var defaultJSON: String { defaultValue.json }

    var expectation: String { Value.expectation(allowed) }

    var isFreeText: Bool { Value.self == String.self && allowed == nil }

    func validate(_ text: String, from source: SettingSource) throws(SettingsError) {
        _ = try parse(text, from: source)
    }
}

extension AnySetting {
    /// The name in the environment, such as `MENAGERIE_HTTP_PORT` for `http.port`.
    var environmentName: String {
        "MENAGERIE_" + name.uppercased().replacing(".", with: "_")
    }
}

/// The source of a value, for error messages.
enum SettingSource: Sendable, CustomStringConvertible {
    case flag(String)
    case environment(String)
    case file(String)
    /// A file that holds only the value. The value may be a secret, so no message shows it.
    case content(of: String, namedBy: String)

    var description: String {
        switch self {
        case .flag(let name): "flag \(name)"
        case .environment(let name): "environment variable \(name)"
        case .file(let path): "file \(path)"
        case .content(let path, let name): "content of \(path), which \(name) names"
        }
    }
}

/// A configuration that the service must not start with.
struct SettingsError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
