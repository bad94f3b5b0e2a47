/// One layer of a neural network (`NeuralNetworkLayer` of `NeuralNetwork.proto`).
struct CoreMLLayer: Sendable {
    let name: String
    let inputs: [String]
    let outputs: [String]
    /// Nil if the layer has no type, or one that is newer than the specification known here.
    let type: CoreMLLayerType?
    /// The name of the type, or its field number if the type is unknown.
    let typeName: String
    /// The layer's own message. The field with the type's number holds the parameters.
    private let message: ProtocolBufferMessage

    init(_ message: ProtocolBufferMessage) throws(WireFormatError) {
        name = try message.string("name", 1)
        inputs = try message.strings("input", 2)
        outputs = try message.strings("output", 3)
        self.message = message
        // The last field of a oneof counts.
        let number = message.fieldNumbers.last { $0 >= 100 }
        type = number.flatMap(CoreMLLayerType.init(rawValue:))
        typeName = type?.name ?? number.map { "unknown type \($0)" } ?? "no type"
    }

    /// The layer's parameters, which are not read before this call.
    func parameters() throws(WireFormatError) -> ProtocolBufferMessage {
        guard let type, let parameters = try message.message(type.name, type.rawValue) else {
            throw WireFormatError(offset: message.range.lowerBound, reason: "the layer \(name) has no parameters")
        }
        return parameters
    }
}
