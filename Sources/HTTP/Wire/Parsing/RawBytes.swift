extension UnsafeRawBufferPointer {
    /// Whether the bytes equal `text` without regard to the case of ASCII letters.
    /// - Parameter text: lower-case ASCII.
    @inline(__always)
    package func equals(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        let wanted = text.utf8Start
        for index in 0..<count where ByteClass.lowercased(self[index]) != wanted[index] { return false }
        return true
    }

    /// Whether the bytes equal `text` exactly.
    @inline(__always)
    package func isEqual(to text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        let wanted = text.utf8Start
        for index in 0..<count where self[index] != wanted[index] { return false }
        return true
    }

    /// Calls `body` for every non-empty element of a comma-separated list, without the blanks around it (RFC 9110
    /// §5.6.1).
    func forEachListElement(_ body: (UnsafeRawBufferPointer) -> Void) {
        var start = 0
        while start <= count {
            var end = start
            while end < count, self[end] != UInt8(ascii: ",") { end += 1 }
            var first = start
            var last = end
            while first < last, ByteClass.isBlank(self[first]) { first += 1 }
            while last > first, ByteClass.isBlank(self[last - 1]) { last -= 1 }
            if first < last { body(UnsafeRawBufferPointer(rebasing: self[first..<last])) }
            start = end + 1
        }
    }
}

extension Method {
    /// The method of that name. No String is made for the common ones.
    static func parsed(_ name: UnsafeRawBufferPointer) -> Method {
        switch name.count {
        case 3 where name.isEqual(to: "GET"): .get
        case 3 where name.isEqual(to: "PUT"): .put
        case 4 where name.isEqual(to: "HEAD"): .head
        case 4 where name.isEqual(to: "POST"): .post
        default: Method(rawValue: String(decoding: name, as: UTF8.self))
        }
    }
}
