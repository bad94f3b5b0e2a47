/// One layer of a neural network (`NeuralNetworkLayer` of `NeuralNetwork.proto`).
struct CoreMLLayer: Sendable {
    let name: String
    let inputs: [String]
    let outputs: [String]
    /// Nil if no layer of the type is translated.
    let type: CoreMLLayerType?
    /// The name of the type in the specification, or its number if the type is unknown.
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
        typeName = number.map { CoreMLLayerType.name(of: $0) ?? "unknown type \($0)" } ?? "no type"
    }

    /// The layer's parameters, which are not read before this call.
    func parameters() throws(WireFormatError) -> ProtocolBufferMessage {
        guard let type, let parameters = try message.message(typeName, type.rawValue) else {
            throw WireFormatError(offset: message.range.lowerBound, reason: "the layer \(name) has no parameters")
        }
        return parameters
    }
}
