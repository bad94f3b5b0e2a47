import Base
import Foundation
import HTTP

/// The configuration in force. Flags override the environment, which overrides the file, which overrides defaults.
///
/// swift-configuration is not used: its JSON provider accepts no comments, it cannot report unknown keys, and it skips
/// a value of the wrong type. This service must stop and name such a value.
struct Settings: Sendable {
    private var texts: [String: (text: String, source: SettingSource)] = [:]

    /// Reads and checks every source.
    /// - Parameters:
    ///   - flags: values given on the command line, by setting name.
    ///   - environment: the process environment. Only names that begin with `MENAGERIE_` matter.
    ///   - file: the path of a JSON file that may have comments (JSON5). Nil reads none.
    /// - Throws: ``SettingsError`` for an unreadable file, an unknown key or a value out of range.
    init(flags: [String: String] = [:], environment: [String: String] = [:], file: String? = nil)
        throws(SettingsError)
    {
        let known = Dictionary(uniqueKeysWithValues: Self.all.map { ($0.name, $0) })
        if let file {
            var source = SettingLayer(known: Set(known.keys), suffix: "_file")
            for (name, text, isRounded) in try Self.read(file) {
                guard !isRounded || known[name]?.isFreeText != true else {
                    throw SettingsError("\(name) in \(file) is a number, but has to be a text in quotes.")
                }
                guard try source.add(name, text, from: .file(file)) else {
                    throw Self.unknown(name, in: file)
                }
            }
            for (name, value) in source.texts { texts[name] = value }
        }
        let names = Dictionary(uniqueKeysWithValues: Self.all.map { ($0.environmentName, $0.name) })
        var source = SettingLayer(known: Set(names.keys), suffix: "_FILE")
        for (variable, text) in environment where variable.hasPrefix("MENAGERIE_") && !Self.isServiceLink(variable) {
            guard try source.add(variable, text, from: .environment(variable)) else {
                let near = Self.suggestion(NearNames.of(variable, among: names.keys.sorted()))
                throw SettingsError("The environment variable \(variable) is not a setting.\(near)")
            }
        }
        for (variable, value) in source.texts { names[variable].map { texts[$0] = value } }
        var given = SettingLayer(known: Set(known.keys), suffix: "_file")
        for (name, text) in flags { _ = try given.add(name, text, from: .flag("for " + name)) }
        for (name, value) in given.texts { texts[name] = value }
        for (name, value) in texts.sorted(by: { $0.key < $1.key }) {
            try known[name]?.validate(value.text, from: value.source)
        }
    }

    /// The value in force. All values have been checked, so the default applies only if no source gives one.
    subscript<Value>(_ setting: Setting<Value>) -> Value {
        guard let (text, source) = texts[setting.name] else { return setting.defaultValue }
        return (try? setting.parse(text, from: source)) ?? setting.defaultValue
    }

    /// The value of a setting whose empty text stands for none.
    func given(_ setting: Setting<String>) -> String? { self[setting].isEmpty ? nil : self[setting] }

    /// The value of a setting whose 0 stands for none.
    func given<Number: SettingValue & Numeric & Comparable>(_ setting: Setting<Number>) -> Number? {
        self[setting] > 0 ? self[setting] : nil
    }

    /// The value of a setting that is an address of the web.
    ///
    /// - Parameter example: a good value.
    func url(_ setting: Setting<String>, like example: String) throws(SettingsError) -> URL {
        guard let url = URL(string: self[setting]), url.isHTTP else {
            // The value is not shown, since it may have a password.
            throw SettingsError("\(setting.name) has to be an address such as \(example).")
        }
        return url
    }

    /// The elements of a setting that is a comma-separated list, trimmed.
    func list(_ setting: Setting<String>) -> [String] {
        self[setting].split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// Whether any source gives a value, even if it equals the default.
    func isSet<Value>(_ setting: Setting<Value>) -> Bool { texts[setting.name] != nil }

    /// Whether the name is that of a setting, or of one whose value is read from a file.
    static func isName(_ name: String) -> Bool {
        all.contains { $0.name == name || $0.name + "_file" == name }
    }

    // MARK: File

    /// Flattens `{"http": {"port": 1}}` to `http.port: 1`.
    private static func read(_ path: String) throws(SettingsError) -> [SettingsTree.Leaf] {
        let bytes: Data
        do throws(SettingsError) {
            bytes = try Data(ofFile: path)
        } catch {
            throw SettingsError("The configuration \(path) cannot be used. \(error)")
        }
        // Editors of Windows also write UTF-16, which the decoder would take.
        guard String(validating: bytes, as: UTF8.self)?.contains("\0") == false else {
            throw SettingsError("The configuration \(path) is not in UTF-8; save it in that encoding.")
        }
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        do {
            let groups = try decoder.decode([String: SettingsTree].self, from: bytes)
            if let name = RepeatedMember.first(in: bytes) {
                throw SettingsError("\(name) is in \(path) more than once; one of them is to go.")
            }
            let leaves = groups.flatMap { name, tree in tree.leaves(under: name) }.sorted { $0.name < $1.name }
            if let (leaf, _) = zip(leaves, leaves.dropFirst()).first(where: { $0.name == $1.name }) {
                throw SettingsError("\(leaf.name) is in \(path) more than once; one of them is to go.")
            }
            return leaves
        } catch let error as SettingsError {
            throw error
        } catch let DecodingError.dataCorrupted(context) {
            let reason = context.underlyingError.map { "\($0)" } ?? context.debugDescription
            throw SettingsError("The configuration \(path) is not JSON: \(reason)")
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
            let place = context.codingPath.map(\.stringValue).joined(separator: ".")
            guard !place.isEmpty else {
                throw SettingsError(
                    "The configuration \(path) has to be a JSON object, such as {\"http\": {\"port\": 8080}}.")
            }
            throw SettingsError(
                isGroup(place)
                    ? "\(place) in \(path) has to be an object with settings."
                    : "\(place) in \(path) has to be a text, a number, true or false.")
        } catch {
            throw SettingsError("The configuration \(path) cannot be read: \(error.localizedDescription)")
        }
    }

    private static func isGroup(_ name: String) -> Bool { all.contains { $0.name.hasPrefix(name + ".") } }

    /// The error for a name of the file that no setting has.
    private static func unknown(_ name: String, in path: String) -> SettingsError {
        if isGroup(name) { return SettingsError("\(name) in \(path) has to be an object with settings.") }
        return SettingsError("\(name) in \(path) is not a setting.\(suggestion(for: name))")
    }

    /// A question that names the settings that a wrong name may have meant. Empty if there are none.
    static func suggestion(for name: String) -> String {
        let last = name.split(separator: ".").last.map(String.init) ?? name
        let same = all.map(\.name).filter { $0.hasSuffix("." + last) }
        return suggestion(same.isEmpty ? NearNames.of(name, among: all.map(\.name)) : same)
    }

    private static func suggestion(_ near: [String]) -> String {
        near.isEmpty ? "" : " Did you mean \(near.joined(separator: " or "))?"
    }

    /// Whether Kubernetes sets the variable in every container, because a Service is called `menagerie`:
    /// `MENAGERIE_SERVICE_HOST`, `MENAGERIE_PORT_80_TCP_ADDR` and more.
    private static func isServiceLink(_ variable: String) -> Bool {
        variable.wholeMatch(of: /MENAGERIE_(SERVICE_(HOST|PORT(_.+)?)|PORT(_[0-9]+_(TCP|UDP|SCTP)(_.+)?)?)/) != nil
    }
}

/// The configuration file before its keys are known.
private enum SettingsTree: Decodable {
    /// `isRounded` says whether a number may have had other digits in the file.
    typealias Leaf = (name: String, text: String, isRounded: Bool)

    case group([String: SettingsTree])
    case leaf(String, isRounded: Bool = false)

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let flag = try? value.decode(Bool.self) {
            self = .leaf(String(flag))
        } else if let whole = try? value.decode(Int.self) {
            self = .leaf(String(whole))
        } else if let number = try? value.decode(Double.self) {
            self = .leaf(String(number), isRounded: true)
        } else if let text = try? value.decode(String.self) {
            self = .leaf(text)
        } else {
            self = .group(try value.decode([String: SettingsTree].self))
        }
    }

    func leaves(under name: String) -> [Leaf] {
        switch self {
        case .leaf(let text, let isRounded): [(name, text, isRounded)]
        case .group(let members): members.flatMap { $1.leaves(under: "\(name).\($0)") }
        }
    }
}
