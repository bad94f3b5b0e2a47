/// Converts one network to an ``ImportedModel``: its input with preprocessing, its layers, and its outputs.
struct NetworkConversion {
    let description: CoreMLDescription
    let network: CoreMLNetwork

    func convert(labels: [String], licence: String) throws(CoreMLError) -> ImportedModel {
        let picture = try picture()
        let graph = LayerGraph(hasExactShapes: picture.isExact)
        // The public names are the model's own, so they are reserved first.
        let inputName = graph.onnx.uniqueName(picture.name)
        let features = description.outputs.filter(isTensor)
        let outputNames = features.map { graph.onnx.uniqueName($0.name) }

        let shape = [1, picture.channels.count, picture.height, picture.width]
        let raw = Blob(value: inputName, shape: shape, hasBatch: true)
        let (scale, biases, blob) = try preprocess(raw, of: picture, graph)
        graph.blobs[picture.name] = try graph.input(blob, rank: picture.rank, of: picture.name)
        try graph.translate(network.layers)

        let shapes = try zip(features, outputNames).map { feature, name throws(CoreMLError) in
            try output(feature, named: name, graph)
        }
        guard !shapes.isEmpty else {
            throw .invalidFeature(name: picture.name, reason: "the model has no output that is an array")
        }
        // The first dimension is free if the network accepts batches.
        let isFree = graph.acceptsBatches
        graph.onnx.inputs = [ONNXGraph.Value(name: inputName, shape: shape, isBatchFree: isFree)]
        graph.onnx.outputs = zip(outputNames, shapes).map {
            ONNXGraph.Value(name: $0, shape: $1, isBatchFree: isFree)
        }
        return ImportedModel(
            onnx: graph.onnx.serialized(name: inputName),
            input: .init(
                name: inputName, width: picture.width, height: picture.height, channels: picture.channels,
                scale: scale, biases: biases),
            labels: labels,
            probabilitiesOutput: zip(features, outputNames).first { isProbabilities($0.0) }?.1,
            licence: licence)
    }

    /// Whether an output is an array of the network. The predicted class is not: it follows from the probabilities.
    private func isTensor(_ feature: CoreMLFeature) -> Bool {
        switch feature.kind {
        case .array, .image, .dictionary: true
        case .other(let kind): kind == "doubleType" && network.labels.isEmpty
        }
    }

    private func isProbabilities(_ feature: CoreMLFeature) -> Bool {
        guard !network.labels.isEmpty else { return false }
        return feature.name == description.predictedProbabilitiesName || feature.kind == .dictionary
    }

    /// Gives a blob the public name of an output and the shape that the description declares, which is returned.
    private func output(
        _ feature: CoreMLFeature, named name: String, _ graph: LayerGraph
    ) throws(CoreMLError) -> [Int] {
        let isProbabilities = isProbabilities(feature)
        var source = feature.name
        if isProbabilities {
            if !network.probabilitiesBlob.isEmpty {
                source = network.probabilitiesBlob
            } else if graph.blobs[source] == nil {
                source = network.layers.last?.outputs.first ?? source
            }
        }
        guard let blob = graph.blobs[source] else {
            throw .invalidFeature(name: feature.name, reason: "no layer produces it")
        }
        var shape = blob.shape
        if isProbabilities {
            let count = shape.reduce(1, *)
            guard count == network.labels.count else {
                throw .invalidFeature(
                    name: feature.name, reason: "\(count) probabilities for \(network.labels.count) labels")
            }
            shape = [1, count]
        } else if !graph.hasExactShapes, case .array(let declared) = feature.kind, declared.count == 1 {
            // In rank-5 networks, an array of one dimension holds the channels.
            shape = [shape[0], shape.dropFirst().reduce(1, *)]
        }
        do {
            try graph.bind(blob, to: name, shape: shape)
        } catch {
            throw .invalidFeature(name: feature.name, reason: error.description)
        }
        return shape
    }
}

extension LayerGraph {
    /// The picture as the network takes it: (1, C, H, W), or (C, H, W) if the file says so.
    func input(_ blob: Blob, rank: Int, of name: String) throws(CoreMLError) -> Blob {
        guard rank == 3 else { return blob }
        do {
            return try reshape(blob, to: Array(blob.shape.dropFirst()), keepsFirst: false)
        } catch {
            throw .invalidFeature(name: name, reason: error.description)
        }
    }

    /// Gives a blob a public name and a first dimension for the batch.
    func bind(_ blob: Blob, to name: String, shape: [Int]) throws(WireFormatError) {
        if !blob.hasBatch { fixBatch() }
        let shaped = try reshape(blob, to: shape)
        onnx.bind(shaped.value, to: name)
    }
}
