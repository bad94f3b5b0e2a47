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
