/// Translates a network's layers, in file order, to nodes of an ONNX graph. It tracks the shape of every blob.
///
/// The groups of layers build the nodes.
struct NetworkTranslator {
    /// Each type of layer belongs to one of the groups.
    private static let handlers: [CoreMLLayerType: LayerGraph.Handler] = [
        LayerGraph.convolutionHandlers,
        LayerGraph.poolingHandlers,
        LayerGraph.normalizationHandlers,
        LayerGraph.activationHandlers,
        LayerGraph.arithmeticHandlers,
        LayerGraph.unaryHandlers,
        LayerGraph.comparisonHandlers,
        LayerGraph.spatialHandlers,
        LayerGraph.resizingHandlers,
        LayerGraph.reshapingHandlers,
        LayerGraph.joiningHandlers,
        LayerGraph.slicingHandlers,
        LayerGraph.reductionHandlers,
        LayerGraph.constantHandlers,
        LayerGraph.matrixHandlers,
    ].reduce(into: [:]) { all, group in all.merge(group) { first, _ in first } }

    let graph: LayerGraph
    var blobs: [String: Blob] = [:]

    init(hasExactShapes: Bool) { graph = LayerGraph(hasExactShapes: hasExactShapes) }

    /// Translates all layers.
    ///
    /// - Throws: ``CoreMLError/unsupportedLayers(_:)`` with every layer that has no translation, or
    ///   ``CoreMLError/invalidLayer(name:type:reason:)`` for the first that contradicts itself.
    mutating func translate(_ layers: [CoreMLLayer]) throws(CoreMLError) {
        var unsupported: [CoreMLError.UnsupportedLayer] = []
        var invalid: CoreMLError?
        // The outputs of layers without a translation. Layers that use them cannot be checked.
        var unknown: Set<String> = []
        for layer in layers {
            do {
                let isKnown = unknown.isDisjoint(with: layer.inputs)
                guard let handler = layer.type.flatMap({ Self.handlers[$0] }) else {
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
        guard graph.onnx.constantBytes < WireFormatLimits.fileSize - (1 << 26) else {
            throw .tooLarge("its weights are \(graph.onnx.constantBytes) bytes; an ONNX file ends at 2 GiB")
        }
    }

    private mutating func translate(_ layer: CoreMLLayer, _ handler: LayerGraph.Handler) throws(WireFormatError) {
        let parameters = try layer.parameters()
        graph.begin(layer, offset: parameters.range.lowerBound)
        var inputs: [Blob] = []
        for name in layer.inputs {
            guard let blob = blobs[name] else { throw graph.failure("no earlier layer produces its input \(name)") }
            inputs.append(blob)
        }
        let results: [Blob]
        do {
            results = try handler(graph, parameters, inputs)
        } catch {
            throw error as? WireFormatError ?? graph.failure("\(error)")
        }
        guard results.count == layer.outputs.count else {
            throw graph.failure("it names \(layer.outputs.count) outputs and has \(results.count)")
        }
        for (name, blob) in zip(layer.outputs, results) { blobs[name] = blob }
    }
}
