/// A place in a distributed trace (W3C Trace Context §3.2, `traceparent`).
package struct TraceContext: Hashable, Sendable, CustomStringConvertible {
    /// 32 hexadecimal digits in lower case.
    package let traceID: String
    /// 16 hexadecimal digits in lower case: the current span, which is the parent of spans begun here.
    package let spanID: String
    package let isSampled: Bool

    /// Begins a new trace.
    package init(isSampled: Bool) {
        self.init(traceID: Self.identifier() + Self.identifier(), isSampled: isSampled)
    }

    private init(traceID: String, isSampled: Bool) {
        self.traceID = traceID
        spanID = Self.identifier()
        self.isSampled = isSampled
    }

    /// Reads a text such as `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01`; nil if it is invalid. Later
    /// versions may append more (§3.2.2).
    package init?(parsing text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 55, [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }),
            let version = Self.digits(bytes[0..<2]), version != "ff",
            version == "00" ? bytes.count == 55 : bytes.count == 55 || bytes[55] == UInt8(ascii: "-"),
            let traceID = Self.digits(bytes[3..<35]), traceID.contains(where: { $0 != "0" }),
            let spanID = Self.digits(bytes[36..<52]), spanID.contains(where: { $0 != "0" }),
            let flags = Self.digits(bytes[53..<55]).flatMap({ UInt8($0, radix: 16) })
        else { return nil }
        self.traceID = traceID
        self.spanID = spanID
        isSampled = flags & 1 != 0
    }

    /// A span whose parent is this one.
    package func newSpan() -> TraceContext { TraceContext(traceID: traceID, isSampled: isSampled) }

    /// The value of `traceparent`, version 00.
    package var description: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }

    /// 64 random bits. They are never all zero, which is an invalid identifier (§3.2.2.4).
    private static func identifier() -> String {
        let digits = String(UInt64.random(in: 1 ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The digits as text; nil if one is invalid or in upper case.
    private static func digits(_ bytes: ArraySlice<UInt8>) -> String? {
        let isValid = bytes.allSatisfy {
            Hexadecimal.value(of: $0) != nil && !(UInt8(ascii: "A")...UInt8(ascii: "F")).contains($0)
        }
        return isValid ? String(decoding: bytes, as: UTF8.self) : nil
    }
}
