/// Translates one network's layers, in file order, to nodes of an ONNX graph, keeping every blob's shape on the way.
///
/// The layers' meanings are those of the comments in `NeuralNetwork.proto`; each extension of this type covers a group
/// of layers.
struct NetworkTranslator {
    /// Elements of one blob: 1 GiB of floats.
    static let maximumElements = 1 << 28
    /// Core ML ends at rank 5; two more leave room for what a layer does in between.
    static let maximumRank = 7

    /// Translates one layer from its parameters and inputs to its outputs. It throws nothing but ``WireFormatError``;
    /// closures as short as those of the tables have no way to say so.
    typealias Handler = @Sendable (inout NetworkTranslator, ProtocolBufferMessage, [CoreMLBlob]) throws -> [CoreMLBlob]

    /// The translation of every layer type that has one.
    static let handlers: [CoreMLLayerType: Handler] = [
        convolutionHandlers, normalizationHandlers, elementwiseHandlers, arithmeticHandlers, unaryHandlers,
        comparisonHandlers, spatialHandlers, reshapingHandlers, joiningHandlers, slicingHandlers, reductionHandlers,
        constantHandlers, matrixHandlers,
    ].reduce(into: [:]) { $0.merge($1) { first, _ in first } }

    var graph = ONNXGraph()
    var blobs: [String: CoreMLBlob] = [:]
    /// Whether blobs have the shapes that the file gives; otherwise see ``CoreMLBlob/shape``.
    let hasExactShapes: Bool
    /// False once a layer has mixed the pictures of a batch, or given the first dimension another meaning.
    var acceptsBatches = true
    /// The layer being translated: its name is the prefix of the nodes' names.
    private(set) var layerName = ""
    private(set) var layerOffset = 0
    /// How many results the layer being translated names.
    private(set) var outputCount = 0

    init(hasExactShapes: Bool) {
        self.hasExactShapes = hasExactShapes
    }

    /// Translates all layers.
    ///
    /// - Throws: ``CoreMLError/unsupportedLayers(_:)`` with every layer that has no translation, or
    ///   ``CoreMLError/invalidLayer(name:type:reason:)`` for the first that contradicts itself.
    mutating func translate(_ layers: [CoreMLLayer]) throws(CoreMLError) {
        var unsupported: [CoreMLError.UnsupportedLayer] = []
        var invalid: CoreMLError?
        // What comes out of a layer without translation: what follows cannot be judged.
        var unknown: Set<String> = []
        for layer in layers {
            layerName = layer.name
            do {
                let isKnown = unknown.isDisjoint(with: layer.inputs)
                guard let type = layer.type, let handler = Self.handlers[type] else {
                    unsupported.append(.init(name: layer.name, type: layer.typeName))
                    unknown.formUnion(layer.outputs)
                    continue
                }
                guard isKnown, invalid == nil else {
                    unknown.formUnion(layer.outputs)
                    continue
                }
                try translate(layer, handler)
            } catch {
                invalid = .invalidLayer(name: layer.name, type: layer.typeName, reason: error.description)
                unknown.formUnion(layer.outputs)
            }
        }
        if !unsupported.isEmpty { throw .unsupportedLayers(unsupported) }
        if let invalid { throw invalid }
        guard graph.constantBytes < WireFormatLimits.fileSize - (1 << 26) else {
            throw .tooLarge("its weights are \(graph.constantBytes) bytes; an ONNX file ends at 2 GiB")
        }
    }

    private mutating func translate(_ layer: CoreMLLayer, _ handler: Handler) throws(WireFormatError) {
        let parameters = try layer.parameters()
        layerOffset = parameters.range.lowerBound
        var inputs: [CoreMLBlob] = []
        for name in layer.inputs {
            guard let blob = blobs[name] else { throw failure("no earlier layer produces its input \(name)") }
            inputs.append(blob)
        }
        outputCount = layer.outputs.count
        let results: [CoreMLBlob]
        do {
            results = try handler(&self, parameters, inputs)
        } catch {
            throw error as? WireFormatError ?? failure("\(error)")
        }
        guard results.count == layer.outputs.count else {
            throw failure("it names \(layer.outputs.count) outputs and has \(results.count)")
        }
        for (name, blob) in zip(layer.outputs, results) { blobs[name] = blob }
    }

    /// An error that says what is wrong with the layer being translated.
    func failure(_ reason: String) -> WireFormatError {
        WireFormatError(offset: layerOffset, reason: reason)
    }

    /// Notes that a layer reaches across the first dimension, so that a batch of more than one would be mixed.
    mutating func fixBatch() {
        acceptsBatches = false
    }
}
