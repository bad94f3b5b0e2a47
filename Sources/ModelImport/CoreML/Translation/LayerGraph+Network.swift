extension LayerGraph {
    /// Each type of layer belongs to one of the groups.
    private static let handlers: [CoreMLLayerType: Handler] = [
        convolutionHandlers, poolingHandlers, normalizationHandlers, activationHandlers, arithmeticHandlers,
        unaryHandlers, comparisonHandlers, spatialHandlers, resizingHandlers, reshapingHandlers, joiningHandlers,
        slicingHandlers, reductionHandlers, constantHandlers, matrixHandlers,
    ].reduce(into: [:]) { all, group in all.merge(group) { first, _ in first } }

    /// Translates a network's layers, which are in file order.
    ///
    /// - Throws: ``CoreMLError/unsupportedLayers(_:)`` with every layer that has no translation, or
    ///   ``CoreMLError/invalidLayer(name:type:reason:)`` for the first that contradicts itself.
    func translate(_ layers: [CoreMLLayer]) throws(CoreMLError) {
        var unsupported: [CoreMLError.UnsupportedLayer] = []
        var invalid: CoreMLError?
        // The outputs of layers without a translation. Layers that use them cannot be checked.
        var unknown: Set<String> = []
        for layer in layers {
            if let handler = layer.type.flatMap({ Self.handlers[$0] }) {
                if invalid == nil, unknown.isDisjoint(with: layer.inputs) {
                    do throws(WireFormatError) {
                        try translate(layer, handler)
                        continue
                    } catch {
                        invalid = .invalidLayer(name: layer.name, type: layer.typeName, reason: error.description)
                    }
                }
            } else {
                unsupported.append(.init(name: layer.name, type: layer.typeName))
            }
            unknown.formUnion(layer.outputs)
        }
        if !unsupported.isEmpty { throw .unsupportedLayers(unsupported) }
        if let invalid { throw invalid }
        guard onnx.constantBytes < WireFormatLimits.fileSize - (1 << 26) else {
            throw .tooLarge("its weights are \(onnx.constantBytes) bytes; an ONNX file ends at 2 GiB")
        }
    }

    private func translate(_ layer: CoreMLLayer, _ handler: Handler) throws(WireFormatError) {
        let parameters = try layer.parameters()
        begin(layer, offset: parameters.range.lowerBound)
        var inputs: [Blob] = []
        for name in layer.inputs {
            guard let blob = blobs[name] else { throw failure("no earlier layer produces its input \(name)") }
            inputs.append(blob)
        }
        let results: [Blob]
        do {
            results = try handler(self, parameters, inputs)
        } catch {
            throw error as? WireFormatError ?? failure("\(error)")
        }
        guard results.count == layer.outputs.count else {
            throw failure("it names \(layer.outputs.count) outputs and has \(results.count)")
        }
        for (name, blob) in zip(layer.outputs, results) { blobs[name] = blob }
    }
}
