import Base

/// Finds, decodes and normalises the path of a request target (RFC 9112 §3.2).
enum RequestTarget {
    /// The decoded path of a target in origin-form, absolute-form or asterisk-form. It is nil for another form, a
    /// malformed escape, NUL, or escapes that are not UTF-8 in path or query.
    static func path(of target: String) -> String? {
        var target = target
        return target.withUTF8 { path(of: UnsafeRawBufferPointer($0)) }
    }

    /// The same for bytes that are known to be target characters.
    static func path(of target: UnsafeRawBufferPointer) -> String? {
        if isItsOwnPath(target) { return String(decoding: target, as: UTF8.self) }
        guard let first = target.first else { return nil }
        if first == UInt8(ascii: "*") { return target.count == 1 ? "*" : nil }
        var start = 0
        if first != UInt8(ascii: "/") {
            guard let authority = authority(ofAbsolute: target) else { return nil }
            start = authority.upperBound
        }
        let end = target[start...].firstIndex(of: UInt8(ascii: "?")) ?? target.count
        guard hasValidEscapes(target[end...]), isUTF8(target[end...]) else { return nil }
        if start == end { return "/" }
        let path = UnsafeRawBufferPointer(rebasing: target[start..<end])
        return isPlain(path) ? String(decoding: path, as: UTF8.self) : normalised(path)
    }

    /// The reason why ``path(of:)`` is nil for a target whose form is right: what is wrong, and where.
    static func fault(of target: UnsafeRawBufferPointer) -> String {
        let end = target.firstIndex(of: UInt8(ascii: "?")) ?? target.count
        let parameters = target[end...].dropFirst().split(separator: UInt8(ascii: "&"))
        for part in [target[..<end]] + parameters where hasValidEscapes(part) && !isUTF8(part) {
            let text = String(decoding: part.prefix(80), as: UTF8.self)
            let place = part.startIndex == 0 ? "path" : "query parameter"
            return "The request target has percent-encoded bytes that are not UTF-8, in the \(place) “\(text)”."
        }
        return "The request target has a malformed percent-encoding or %00."
    }

    /// The range of the authority in an absolute-form. It is nil for a scheme other than http(s), for user information,
    /// or without a host (RFC 9110 §4.2.1, §4.2.4).
    static func authority(ofAbsolute target: UnsafeRawBufferPointer) -> Range<Int>? {
        let scheme = target.prefix(8).map(ByteClass.lowercased)
        let start: Int
        if scheme.starts(with: "https://".utf8) {
            start = 8
        } else if scheme.starts(with: "http://".utf8) {
            start = 7
        } else {
            return nil
        }
        let end = target[start...].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? target.count
        let authority = UnsafeRawBufferPointer(rebasing: target[start..<end])
        guard start < end, isAuthority(authority) else { return nil }
        return start..<end
    }

    /// Whether the text is a uri-host with an optional port (RFC 9110 §7.2, RFC 3986 §3.2.2).
    static func isAuthority(_ text: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        if text.first == UInt8(ascii: "[") {
            guard let close = text.firstIndex(of: UInt8(ascii: "]")), close > 1 else { return false }
            let isAddress = text[1..<close].allSatisfy {
                Hexadecimal.value(of: $0) != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
                    || ByteClass.isToken($0)
            }
            guard isAddress else { return false }
            index = close + 1
        } else {
            var hasEscape = false
            while index < text.count, text[index] != UInt8(ascii: ":") {
                let byte = text[index]
                guard ByteClass.isHost(byte), byte != UInt8(ascii: "["), byte != UInt8(ascii: "]") else { return false }
                if byte == UInt8(ascii: "%") { hasEscape = true }
                index += 1
            }
            guard index > 0, !hasEscape || hasValidEscapes(text[..<index]) else { return false }
        }
        if index == text.count { return true }
        guard text[index] == UInt8(ascii: ":"), text.count - index <= 6 else { return false }
        for position in (index + 1)..<text.count where !ByteClass.isDigit(text[position]) { return false }
        return true
    }

    private static func hasValidEscapes(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
        var index = text.startIndex
        while index < text.endIndex {
            if text[index] == UInt8(ascii: "%") {
                guard text.endIndex - index >= 3, Hexadecimal.value(of: text[index + 1]) != nil,
                    Hexadecimal.value(of: text[index + 2]) != nil
                else { return false }
                index += 3
            } else {
                index += 1
            }
        }
        return true
    }

    /// Whether the text is UTF-8 once its valid escapes are decoded.
    private static func isUTF8(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard text.contains(UInt8(ascii: "%")) else { return true }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            guard text[index] == UInt8(ascii: "%"), text.endIndex - index >= 3,
                let high = Hexadecimal.value(of: text[index + 1]), let low = Hexadecimal.value(of: text[index + 2])
            else {
                bytes.append(text[index])
                index += 1
                continue
            }
            bytes.append(high << 4 | low)
            index += 3
        }
        return String(validating: bytes, as: UTF8.self) != nil
    }

    /// Whether the target is in origin-form and equals its decoded path, as nearly all do.
    static func isItsOwnPath(_ target: UnsafeRawBufferPointer) -> Bool {
        guard target.first == UInt8(ascii: "/") else { return false }
        for byte in target where byte == UInt8(ascii: "?") { return false }
        return isPlain(target)
    }

    /// Whether the path needs no decoding and has no dot segment.
    private static func isPlain(_ path: UnsafeRawBufferPointer) -> Bool {
        var afterSlash = false
        for byte in path {
            if byte == UInt8(ascii: "%") || (afterSlash && byte == UInt8(ascii: ".")) { return false }
            afterSlash = byte == UInt8(ascii: "/")
        }
        return true
    }

    /// Decodes everything except "%2F", then removes dot segments (RFC 3986 §5.2.4). ".." never climbs above the root.
    private static func normalised(_ path: UnsafeRawBufferPointer) -> String? {
        var output: [UInt8] = []
        output.reserveCapacity(path.count)
        var segmentStart = 0
        var index = 0
        while index < path.count {
            let byte = path[index]
            if byte == UInt8(ascii: "/") {
                endSegment(&output, from: segmentStart, isLast: false)
                output.append(byte)
                segmentStart = output.count
                index += 1
            } else if byte == UInt8(ascii: "%") {
                guard path.count - index >= 3, let high = Hexadecimal.value(of: path[index + 1]),
                    let low = Hexadecimal.value(of: path[index + 2])
                else { return nil }
                let decoded = high << 4 | low
                if decoded == 0 { return nil }
                if decoded == UInt8(ascii: "/") {
                    output.append(contentsOf: "%2F".utf8)
                } else {
                    output.append(decoded)
                }
                index += 3
            } else {
                output.append(byte)
                index += 1
            }
        }
        endSegment(&output, from: segmentStart, isLast: true)
        return String(validating: output, as: UTF8.self)
    }

    /// Drops a "." or ".." that was just completed; ".." also drops the segment before it. Unless this is the end of
    /// the path, it drops the "/" before too, because the caller adds one.
    private static func endSegment(_ output: inout [UInt8], from start: Int, isLast: Bool) {
        let segment = output[start...]
        let dot = UInt8(ascii: ".")
        if segment.elementsEqual([dot]) {
            output.removeSubrange(start...)
        } else if segment.elementsEqual([dot, dot]) {
            output.removeSubrange(start...)
            if output.count > 1 {
                output.removeLast()
                let slash = output.lastIndex(of: UInt8(ascii: "/")) ?? 0
                output.removeSubrange((slash + 1)...)
            }
        } else {
            return
        }
        if !isLast, output.last == UInt8(ascii: "/") { output.removeLast() }
    }
}
