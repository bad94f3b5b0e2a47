/// The translations of a group of layers that are alike.
///
/// The layers' meanings are those of the comments in `NeuralNetwork.proto`.
protocol LayerGroup: SendableMetatype {
    /// Translates one layer from its parameters and inputs to its outputs. It throws nothing but ``WireFormatError``;
    /// closures as short as those of the tables have no way to say so.
    typealias Handler = @Sendable (Self, ProtocolBufferMessage, [CoreMLBlob]) throws -> [CoreMLBlob]

    static var handlers: [CoreMLLayerType: Handler] { get }

    init(graph: LayerGraph)
}

extension LayerGroup {
    /// The translation of a layer; nil where the group has none of this type.
    static func handler(
        of type: CoreMLLayerType
    ) -> ((LayerGraph, ProtocolBufferMessage, [CoreMLBlob]) throws -> [CoreMLBlob])? {
        handlers[type].map { handler in
            { graph, parameters, inputs in try handler(Self(graph: graph), parameters, inputs) }
        }
    }
}
