import Base

/// A type that a configuration key can have.
protocol SettingValue: Sendable {
    /// A restriction of the values: a range of numbers, a list of words.
    associatedtype Allowed: Sendable

    init?(settingText: String)

    var json: String { get }

    func isWithin(_ allowed: Allowed) -> Bool

    /// The allowed values in words.
    static func expectation(_ allowed: Allowed?) -> String
}

extension Int: SettingValue {
    init?(settingText: String) { self.init(decimal: settingText) }

    var json: String { String(self) }

    func isWithin(_ allowed: ClosedRange<Int>) -> Bool { allowed.contains(self) }

    static func expectation(_ allowed: ClosedRange<Int>?) -> String {
        "a whole number" + (allowed.map { " from \($0.lowerBound) to \($0.upperBound)" } ?? "")
    }
}

extension Double: SettingValue {
    init?(settingText: String) { self.init(decimal: settingText) }

    var json: String { rounded() == self && abs(self) < 1e15 ? String(Int(self)) : String(self) }

    func isWithin(_ allowed: ClosedRange<Double>) -> Bool { allowed.contains(self) }

    static func expectation(_ allowed: ClosedRange<Double>?) -> String {
        "a number" + (allowed.map { " from \($0.lowerBound.json) to \($0.upperBound.json)" } ?? "")
    }
}

extension Bool: SettingValue {
    init?(settingText: String) {
        switch settingText.lowercased() {
        case "true", "1", "yes", "on": self = true
        case "false", "0", "no", "off": self = false
        default: return nil
        }
    }

    var json: String { String(self) }

    func isWithin(_ allowed: Never) -> Bool {}

    static func expectation(_ allowed: Never?) -> String { "true or false" }
}

extension String: SettingValue {
    init?(settingText: String) { self = settingText }

    var json: String { "\"" + replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\"" }

    func isWithin(_ allowed: [String]) -> Bool { allowed.contains(self) }

    static func expectation(_ allowed: [String]?) -> String {
        allowed.map { "one of " + $0.map(\.json).joined(separator: ", ") } ?? "a text"
    }
}
