/// Every cap of the protocol buffer reader in one place, so that no file can make it spend more than its size warrants.
enum WireFormatLimits {
    /// The protocol buffer encoding itself ends at 2 GiB, and so does the ONNX file that we write.
    static let fileSize = Int(Int32.max)
    /// Messages inside messages. The deepest that a Core ML file needs is a pipeline's network's quantised weight: 10.
    static let depth = 32
    /// Fields of one message, counting each element of a repeated field that is not packed.
    static let fieldsOfMessage = 1_048_576
    /// Numbers in one packed list (weights are not read as such lists).
    static let elementsOfList = 16_777_216
}
