/// The parts of a request's time, for the Server-Timing field (W3C Server Timing §3).
package struct ServerTiming: Sendable, CustomStringConvertible {
    private var metrics: [String] = []

    package init() {}

    /// - Parameters:
    ///   - name: a token (RFC 9110 §5.6.2), such as `decode`; any other name is ignored.
    ///   - text: a description for people.
    package mutating func add(_ name: String, _ duration: Duration? = nil, text: String? = nil) {
        guard !name.isEmpty, name.utf8.allSatisfy(ByteClass.isToken) else { return }
        var metric = name
        if let text { metric += ";desc=\"\(Self.escaped(text))\"" }
        if let duration { metric += ";dur=\(Self.milliseconds(duration))" }
        metrics.append(metric)
    }

    /// The field value: `decode;dur=7.1, cache;desc="hit"`; durations in milliseconds with up to three decimals.
    package var description: String { metrics.joined(separator: ", ") }

    private static func milliseconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let microseconds = max(0, seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
        let (whole, rest) = microseconds.quotientAndRemainder(dividingBy: 1000)
        if rest == 0 { return String(whole) }
        var decimals = String(String(1000 + rest).dropFirst())
        while decimals.hasSuffix("0") { decimals.removeLast() }
        return "\(whole).\(decimals)"
    }

    /// The text as content of a quoted-string. Characters that it cannot hold become spaces.
    private static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
            bytes.append((0x20..<0x7F).contains(byte) ? byte : 0x20)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Response {
    /// Adds a `Server-Timing` field unless `timing` is empty.
    package mutating func add(_ timing: ServerTiming) {
        if !timing.description.isEmpty { headers.append(timing.description, for: "Server-Timing") }
    }
}
