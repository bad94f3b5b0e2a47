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
        guard isDecodable(target[end...]) else { return nil }
        if start == end { return "/" }
        let path = UnsafeRawBufferPointer(rebasing: target[start..<end])
        return isPlain(path) ? String(decoding: path, as: UTF8.self) : normalised(path)
    }

    /// The reason why ``path(of:)`` is nil for a target whose form is right: what is wrong, and where.
    static func fault(of target: UnsafeRawBufferPointer) -> String {
        let end = target.firstIndex(of: UInt8(ascii: "?")) ?? target.count
        let parameters = target[end...].dropFirst().split(separator: UInt8(ascii: "&"))
        for part in [target[..<end]] + parameters where PercentCoding.bytes(part) != nil && !isDecodable(part) {
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
            guard text[1..<close].allSatisfy({ $0 == UInt8(ascii: ":") || ByteClass.isToken($0) }) else { return false }
            index = close + 1
        } else {
            var hasEscape = false
            while index < text.count, text[index] != UInt8(ascii: ":") {
                let byte = text[index]
                guard ByteClass.isHost(byte), byte != UInt8(ascii: "["), byte != UInt8(ascii: "]") else { return false }
                if byte == UInt8(ascii: "%") { hasEscape = true }
                index += 1
            }
            guard index > 0, !hasEscape || PercentCoding.bytes(text[..<index]) != nil else { return false }
        }
        if index == text.count { return true }
        guard text[index] == UInt8(ascii: ":"), text.count - index <= 6 else { return false }
        for position in (index + 1)..<text.count where !ByteClass.isDigit(text[position]) { return false }
        return true
    }

    /// Whether the text is UTF-8 once its escapes are decoded.
    private static func isDecodable(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard text.contains(UInt8(ascii: "%")) else { return true }
        return PercentCoding.bytes(text).map { String(validating: $0, as: UTF8.self) != nil } ?? false
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

    /// Decodes everything except "%2F", and removes dot segments (RFC 3986 §5.2.4). ".." never climbs above the root.
    /// - Parameter path: starts with "/".
    private static func normalised(_ path: UnsafeRawBufferPointer) -> String? {
        let (slash, dot) = (UInt8(ascii: "/"), UInt8(ascii: "."))
        var segments: [[UInt8]] = []
        for text in path.split(separator: slash, omittingEmptySubsequences: false) {
            guard let segment = PercentCoding.bytes(text), !segment.contains(0) else { return nil }
            let isDot = segment == [dot]
            let isParent = segment == [dot, dot]
            // The first segment is the empty one before the root's slash.
            if isParent, segments.count > 1 { segments.removeLast() }
            if !isDot, !isParent {
                let pieces = segment.split(separator: slash, omittingEmptySubsequences: false)
                segments.append(Array(pieces.joined(separator: "%2F".utf8)))
            } else if text.endIndex == path.endIndex {
                segments.append([])
            }
        }
        return String(validating: segments.joined(separator: [slash]), as: UTF8.self)
    }
}
