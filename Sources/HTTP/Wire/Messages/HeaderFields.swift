/// The field lines of a message (RFC 9110 §5), in order. Names are compared without regard to case.
///
/// All lines are ranges into one buffer, so that the parser builds the fields of a request with two allocations and the
/// serializer copies bytes. Strings are made on demand.
package struct HeaderFields: Sendable {
    /// The places of a line's name and value in ``bytes``.
    struct Line: Sendable {
        var nameStart: UInt32
        var nameLength: UInt32
        var valueStart: UInt32
        var valueLength: UInt32
    }

    /// The buffer. It may hold bytes that no line refers to.
    private(set) var bytes: [UInt8] = []
    private(set) var lines: [Line] = []

    package var count: Int { lines.count }

    /// The first value of that name. Setting it replaces every line of that name; nil removes them.
    package subscript(_ name: String) -> String? {
        get {
            guard let index = firstIndex(of: name) else { return nil }
            return value(at: index)
        }
        set {
            remove(name)
            if let newValue { append(newValue, for: name) }
        }
    }

    /// The values of all lines of that name, in order. Each is the whole value of its line.
    package func values(for name: String) -> [String] {
        lines.indices.filter { matches($0, name) }.map { value(at: $0) }
    }

    /// Calls `body` with the bytes of the first value of that name; nil if there is none. It makes no String.
    package func withValue<Result>(of name: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
        firstIndex(of: name).map { withValue(at: $0, body) }
    }

    package func contains(_ name: String) -> Bool {
        firstIndex(of: name) != nil
    }

    /// Adds a line at the end. Line ends and NUL in the value become spaces, and bytes that are not token characters
    /// are left out of the name, so that no caller can split a response (RFC 9110 §5.5).
    package mutating func append(_ value: String, for name: String) {
        let nameStart = bytes.count
        for byte in name.utf8 where ByteClass.isToken(byte) { bytes.append(byte) }
        let valueStart = bytes.count
        appendValue(value)
        guard valueStart > nameStart, bytes.count <= UInt32.max else {
            bytes.removeSubrange(nameStart...)
            return
        }
        lines.append(
            Line(
                nameStart: UInt32(nameStart), nameLength: UInt32(valueStart - nameStart),
                valueStart: UInt32(valueStart), valueLength: UInt32(bytes.count - valueStart)))
    }

    package mutating func remove(_ name: String) {
        guard firstIndex(of: name) != nil else { return }
        lines = lines.indices.filter { !matches($0, name) }.map { lines[$0] }
    }

    /// The index of the first line of that name; nil if there is none.
    package func firstIndex(of name: String) -> Int? {
        lines.indices.first { matches($0, name) }
    }

    func name(at index: Int) -> String {
        let line = lines[index]
        return text(line.nameStart, line.nameLength)
    }

    func value(at index: Int) -> String {
        let line = lines[index]
        return text(line.valueStart, line.valueLength)
    }

    private func text(_ start: UInt32, _ length: UInt32) -> String {
        String(decoding: bytes[Int(start)..<Int(start) + Int(length)], as: UTF8.self)
    }

    /// Calls `body` with the bytes of a value. They are valid only during the call.
    package func withValue<Result>(at index: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let start = Int(lines[index].valueStart)
        let end = start + Int(lines[index].valueLength)
        return bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
    }

    /// Adds an element to a comma-separated list. The line keeps its place.
    mutating func extendValue(at index: Int, with element: String) {
        let line = lines[index]
        let (start, end) = (bytes.count, Int(line.valueStart) + Int(line.valueLength))
        // The lines are ranges into the buffer. The longer value goes to its end, and the old bytes stay unused.
        bytes.reserveCapacity(start + Int(line.valueLength) + 2 + element.utf8.count)
        for position in Int(line.valueStart)..<end { bytes.append(bytes[position]) }
        bytes.append(contentsOf: ", ".utf8)
        appendValue(element)
        guard bytes.count <= UInt32.max else {
            bytes.removeSubrange(start...)
            return
        }
        lines[index].valueStart = UInt32(start)
        lines[index].valueLength = UInt32(bytes.count - start)
    }

    private mutating func appendValue(_ value: String) {
        bytes.append(contentsOf: value.utf8.lazy.map { $0 == 0x0D || $0 == 0x0A || $0 == 0 ? 0x20 : $0 })
    }

    func matches(_ index: Int, _ name: String) -> Bool {
        let line = lines[index]
        let wanted = name.utf8
        guard wanted.count == Int(line.nameLength) else { return false }
        var position = Int(line.nameStart)
        for byte in wanted {
            guard ByteClass.lowercased(byte) == ByteClass.lowercased(bytes[position]) else { return false }
            position += 1
        }
        return true
    }
}

extension HeaderFields: Sequence {
    package func makeIterator() -> AnyIterator<(name: String, value: String)> {
        var index = 0
        return AnyIterator {
            guard index < lines.count else { return nil }
            defer { index += 1 }
            return (name(at: index), value(at: index))
        }
    }
}

extension HeaderFields: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, String)...) {
        self.init()
        // There is room for lines of the usual length, and for the few that are added later.
        lines.reserveCapacity(elements.count + 2)
        bytes.reserveCapacity(elements.count * 48 + 32)
        for (name, value) in elements { append(value, for: name) }
    }
}

extension HeaderFields: Equatable {
    /// Whether both have the same lines in the same order, without regard to the case of names.
    package static func == (left: HeaderFields, right: HeaderFields) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).allSatisfy { $0.name.lowercased() == $1.name.lowercased() && $0.value == $1.value }
    }
}

/// Comma-separated list fields (RFC 9110 §5.6.1). They are changed in place, because every response uses them.
extension HeaderFields {
    /// Whether a line of a field contains an element, without regard to case.
    /// - Parameter element: lower-case text without commas.
    package func lists(_ element: StaticString, in name: String) -> Bool {
        lines.indices.contains { index in
            matches(index, name) && withValue(at: index) { $0.listContains { $0.equals(element) } }
        }
    }

    /// Adds a field name to Vary (RFC 9110 §12.5.5) unless it is there or Vary is `*`.
    package mutating func addVary(_ name: String) {
        var last: Int?
        for index in lines.indices where matches(index, "Vary") {
            let isThere = withValue(at: index) { value in
                value.listContains {
                    $0.equals("*")
                        || $0.elementsEqual(name.utf8) { ByteClass.lowercased($0) == ByteClass.lowercased($1) }
                }
            }
            if isThere { return }
            last = index
        }
        if let last {
            extendValue(at: last, with: name)
        } else {
            append(name, for: "Vary")
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the condition holds for an element of a comma-separated list.
    fileprivate func listContains(_ condition: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        var isFound = false
        forEachListElement { if !isFound { isFound = condition($0) } }
        return isFound
    }
}
