/// The translations of a group of similar layers.
///
/// The comments in `NeuralNetwork.proto` define what the layers compute.
protocol LayerGroup: SendableMetatype {
    /// Translates one layer from its parameters and inputs to its outputs. It throws only ``WireFormatError``, but the
    /// short closures in the tables cannot declare that.
    typealias Handler = @Sendable (Self, ProtocolBufferMessage, [CoreMLBlob]) throws -> [CoreMLBlob]

    static var handlers: [CoreMLLayerType: Handler] { get }

    init(graph: LayerGraph)
}

extension LayerGroup {
    /// The translation of a layer. Nil if the group does not have this type.
    static func handler(
        of type: CoreMLLayerType
    ) -> ((LayerGraph, ProtocolBufferMessage, [CoreMLBlob]) throws -> [CoreMLBlob])? {
        handlers[type].map { handler in
            { graph, parameters, inputs in try handler(Self(graph: graph), parameters, inputs) }
        }
    }
}
