/// One layer of a neural network (`NeuralNetworkLayer` of `NeuralNetwork.proto`).
struct CoreMLLayer: Sendable {
    let name: String
    let inputs: [String]
    let outputs: [String]
    /// Nil for a layer without a type, or of one that is newer than the specification that we know.
    let type: CoreMLLayerType?
    /// The type's name, or its field number where that is unknown.
    let typeName: String
    /// The layer's own message, in which the field of the type's number holds the parameters.
    private let message: ProtocolBufferMessage

    init(_ message: ProtocolBufferMessage) throws(WireFormatError) {
        name = try message.string("name", 1)
        inputs = try message.strings("input", 2)
        outputs = try message.strings("output", 3)
        self.message = message
        // Of a oneof the last one counts.
        let number = message.fieldNumbers.last { $0 >= 100 }
        type = number.flatMap(CoreMLLayerType.init(rawValue:))
        typeName = type?.name ?? number.map { "unknown type \($0)" } ?? "no type"
    }

    /// Splits the parameters' message, which stays unread in the file until the layer's turn comes.
    func parameters() throws(WireFormatError) -> ProtocolBufferMessage {
        guard let type, let parameters = try message.message(type.name, type.rawValue) else {
            throw WireFormatError(offset: message.range.lowerBound, reason: "the layer \(name) has no parameters")
        }
        return parameters
    }
}
