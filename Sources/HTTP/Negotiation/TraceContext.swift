import Base

/// The place of a request in a distributed trace (W3C Trace Context §3.2, `traceparent`).
package struct TraceContext: Hashable, Sendable, CustomStringConvertible {
    /// 32 hexadecimal digits in lower case.
    package let traceID: String
    /// 16 hexadecimal digits in lower case: the caller's span.
    package let parentID: String
    package let isSampled: Bool

    /// Nil when the field is absent, repeated or invalid: then a trace begins here.
    package init?(_ headers: HeaderFields) {
        let values = headers.values(for: "traceparent")
        guard values.count == 1 else { return nil }
        self.init(parsing: values[0])
    }

    /// `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01`. Later versions may have more after it (§3.2.2).
    package init?(parsing text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 55, [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }),
            let version = Self.digits(bytes[0..<2]), version != "ff",
            version == "00" ? bytes.count == 55 : bytes.count == 55 || bytes[55] == UInt8(ascii: "-"),
            let traceID = Self.digits(bytes[3..<35]), traceID.contains(where: { $0 != "0" }),
            let parentID = Self.digits(bytes[36..<52]), parentID.contains(where: { $0 != "0" }),
            let flags = Self.digits(bytes[53..<55]).flatMap({ UInt8($0, radix: 16) })
        else { return nil }
        self.traceID = traceID
        self.parentID = parentID
        isSampled = flags & 1 != 0
    }

    /// In version 00.
    package var description: String { "00-\(traceID)-\(parentID)-\(isSampled ? "01" : "00")" }

    /// Upper case is not allowed.
    private static func digits(_ bytes: ArraySlice<UInt8>) -> String? {
        let isValid = bytes.allSatisfy { Hexadecimal.value(of: $0) != nil && ByteClass.lowercased($0) == $0 }
        return isValid ? String(decoding: bytes, as: UTF8.self) : nil
    }
}
