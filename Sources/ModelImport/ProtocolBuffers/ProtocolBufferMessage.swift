/// A protocol buffer message read by field number: its fields as they are in the file, with typed access.
///
/// Only the outermost level is split. Nested messages, strings and weights stay in the file until they are read. A
/// singular field that occurs more than once has its last value, as the encoding prescribes. A field whose wire type
/// differs from its declaration is an error.
struct ProtocolBufferMessage: Sendable {
    /// The whole file, shared and never copied.
    let bytes: [UInt8]
    let range: Range<Int>
    private let depth: Int
    /// In file order.
    let fields: [WireField]

    /// Reads a whole file.
    init(_ bytes: [UInt8]) throws(WireFormatError) {
        guard bytes.count <= WireFormatLimits.fileSize else {
            throw WireFormatError(offset: 0, reason: "the file is larger than \(WireFormatLimits.fileSize) bytes")
        }
        try self.init(bytes, in: 0..<bytes.count, depth: 0)
    }

    private init(_ bytes: [UInt8], in range: Range<Int>, depth: Int) throws(WireFormatError) {
        guard depth <= WireFormatLimits.depth else {
            throw WireFormatError(
                offset: range.lowerBound, reason: "messages are nested deeper than \(WireFormatLimits.depth)")
        }
        var reader = WireFormatReader(bytes, in: range)
        var fields: [WireField] = []
        while let field = try reader.field() {
            guard fields.count < WireFormatLimits.fieldsOfMessage else {
                throw WireFormatError(
                    offset: field.offset,
                    reason: "a message has more than \(WireFormatLimits.fieldsOfMessage) fields")
            }
            fields.append(field)
        }
        self.bytes = bytes
        self.range = range
        self.depth = depth
        self.fields = fields
    }

    /// The numbers of the fields that are present, in file order.
    var fieldNumbers: [Int] { fields.map(\.number) }

    func contains(_ number: Int) -> Bool {
        fields.contains { $0.number == number }
    }

    /// Every occurrence of a field, in file order.
    func occurrences(of number: Int) -> [WireField] {
        fields.filter { $0.number == number }
    }

    func last(_ number: Int) -> WireField? {
        fields.last { $0.number == number }
    }

    func nested(_ name: String, _ field: WireField) throws(WireFormatError) -> ProtocolBufferMessage {
        guard case .delimited(let range) = field.value else { throw mismatch(name, field, "a message") }
        return try ProtocolBufferMessage(bytes, in: range, depth: depth + 1)
    }

    func mismatch(_ name: String, _ field: WireField, _ expected: String) -> WireFormatError {
        WireFormatError(offset: field.offset, reason: "field \(name) (\(field.number)) is not \(expected)")
    }
}

/// All limits of the protocol buffer reader. They keep its cost in proportion to the size of the file.
enum WireFormatLimits {
    /// The largest file. The encoding ends at 2 GiB, and so do the ONNX files written here.
    static let fileSize = Int(Int32.max)
    /// The deepest nesting of messages. Core ML needs 10, for a quantised weight of a network in a pipeline.
    static let depth = 32
    /// The most fields of one message. Each element of an unpacked repeated field counts.
    static let fieldsOfMessage = 1_048_576
    /// The most numbers in one packed list. Weights are not read as such lists.
    static let elementsOfList = 16_777_216
}
