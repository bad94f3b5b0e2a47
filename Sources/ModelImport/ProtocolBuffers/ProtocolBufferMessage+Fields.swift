/// Typed access to fields. The names are those of the `.proto` file and appear in error messages. Absent fields have
/// the defaults of proto3 (0, false, empty).
extension ProtocolBufferMessage {
    /// A field of type `int32`, `int64` or an enumeration.
    func integer(_ name: String, _ number: Int) throws(WireFormatError) -> Int {
        guard let field = last(number) else { return 0 }
        guard case .varint(let value) = field.value else { throw mismatch(name, field, "an integer") }
        return Int(Int64(bitPattern: value))
    }

    /// An unsigned integer for a count or a size: 0…2³¹−1.
    func size(_ name: String, _ number: Int) throws(WireFormatError) -> Int {
        guard let field = last(number) else { return 0 }
        guard case .varint(let value) = field.value else { throw mismatch(name, field, "an integer") }
        return try checkedSize(value, name, field)
    }

    func bool(_ name: String, _ number: Int) throws(WireFormatError) -> Bool {
        try integer(name, number) != 0
    }

    func float(_ name: String, _ number: Int) throws(WireFormatError) -> Float {
        guard let field = last(number) else { return 0 }
        guard case .fixed32(let bits) = field.value else { throw mismatch(name, field, "a float") }
        return Float(bitPattern: bits)
    }

    func string(_ name: String, _ number: Int) throws(WireFormatError) -> String {
        try last(number).map { field throws(WireFormatError) in try string(name, field) } ?? ""
    }

    func strings(_ name: String, _ number: Int) throws(WireFormatError) -> [String] {
        try occurrences(of: number).map { field throws(WireFormatError) in try string(name, field) }
    }

    func message(_ name: String, _ number: Int) throws(WireFormatError) -> ProtocolBufferMessage? {
        try last(number).map { field throws(WireFormatError) in try nested(name, field) }
    }

    func messages(_ name: String, _ number: Int) throws(WireFormatError) -> [ProtocolBufferMessage] {
        try occurrences(of: number).map { field throws(WireFormatError) in try nested(name, field) }
    }

    /// The position of a `bytes` field's content in the file. Nil if it is absent or empty.
    func bytesRange(_ name: String, _ number: Int) throws(WireFormatError) -> Range<Int>? {
        guard let field = last(number) else { return nil }
        guard case .delimited(let range) = field.value else { throw mismatch(name, field, "a byte string") }
        return range.isEmpty ? nil : range
    }

    /// A repeated `int64`, packed or not.
    func integers(_ name: String, _ number: Int) throws(WireFormatError) -> [Int] {
        try list(name, number, of: "integers") { reader throws(WireFormatError) in
            Int(Int64(bitPattern: try reader.varint()))
        } single: { value in
            if case .varint(let value) = value { Int(Int64(bitPattern: value)) } else { nil }
        }
    }

    /// A repeated `uint64` of sizes, each 0…2³¹−1, packed or not.
    func sizes(_ name: String, _ number: Int) throws(WireFormatError) -> [Int] {
        let values = try integers(name, number)
        guard let field = last(number) else { return [] }
        for value in values {
            _ = try checkedSize(UInt64(bitPattern: Int64(value)), name, field)
        }
        return values
    }

    /// A repeated `float`, packed or not. It suits short lists; for weights there is ``CoreMLWeights``.
    func floats(_ name: String, _ number: Int) throws(WireFormatError) -> [Float] {
        try list(name, number, of: "floats", elementSize: 4) { reader throws(WireFormatError) in
            Float(bitPattern: UInt32(truncatingIfNeeded: try reader.littleEndian(byteCount: 4)))
        } single: { value in
            if case .fixed32(let bits) = value { Float(bitPattern: bits) } else { nil }
        }
    }

    /// - Parameters:
    ///   - packed: reads the next number of a packed list.
    ///   - single: reads an unpacked number. Nil for a value of another wire type.
    private func list<Number>(
        _ name: String, _ number: Int, of kind: String, elementSize: Int = 1,
        packed: (inout WireFormatReader) throws(WireFormatError) -> Number, single: (WireField.Value) -> Number?
    ) throws(WireFormatError) -> [Number] {
        var result: [Number] = []
        func append(_ value: Number, _ field: WireField) throws(WireFormatError) {
            guard result.count < WireFormatLimits.elementsOfList else {
                throw mismatch(name, field, "a list of at most \(WireFormatLimits.elementsOfList) numbers")
            }
            result.append(value)
        }
        for field in occurrences(of: number) {
            if case .delimited(let range) = field.value, range.count % elementSize == 0 {
                var reader = WireFormatReader(bytes, in: range)
                while !reader.isAtEnd { try append(packed(&reader), field) }
            } else if let value = single(field.value) {
                try append(value, field)
            } else {
                throw mismatch(name, field, "a list of \(kind)")
            }
        }
        return result
    }

    private func string(_ name: String, _ field: WireField) throws(WireFormatError) -> String {
        guard case .delimited(let range) = field.value else { throw mismatch(name, field, "a string") }
        guard let text = String(validating: bytes[range], as: UTF8.self) else {
            throw mismatch(name, field, "valid UTF-8")
        }
        return text
    }

    private func checkedSize(_ value: UInt64, _ name: String, _ field: WireField) throws(WireFormatError) -> Int {
        guard value <= UInt64(Int32.max) else {
            throw mismatch(name, field, "a size of at most \(Int32.max): it is \(value)")
        }
        return Int(value)
    }
}
