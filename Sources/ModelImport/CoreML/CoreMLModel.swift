/// A Core ML model file (`.mlmodel`): Apple's container of a network, its weights, labels and preprocessing.
///
/// Source: the public specification, https://apple.github.io/coremltools/mlmodel/ (`Model.proto`,
/// `NeuralNetwork.proto`, `FeatureTypes.proto`). Reading checks the structure and leaves the weights alone;
/// ``convert()`` translates the model.
package struct CoreMLModel: Sendable {
    indirect enum Contents: Sendable {
        case network(CoreMLNetwork)
        case pipeline([CoreMLModel])
        /// The last stage of a detector's pipeline, with its labels. Our own code suppresses the boxes.
        case suppression(labels: [String])
        /// A stage that passes its input on.
        case identity
        /// A kind of model that the importer does not support.
        case other
    }

    static let maximumStages = 64

    let description: CoreMLDescription
    let contents: Contents
    /// The kind of model, by its name in `Model.proto`.
    let kind: String

    /// Reads a file's structure.
    ///
    /// - Throws: ``CoreMLError/malformed(_:)`` if the file is damaged or not a Core ML file.
    package init(parsing bytes: [UInt8]) throws(CoreMLError) {
        do {
            try self.init(ProtocolBufferMessage(bytes))
        } catch {
            throw .malformed(error)
        }
    }

    private init(_ message: ProtocolBufferMessage) throws(WireFormatError) {
        let specificationVersion = try message.integer("specificationVersion", 1)
        guard specificationVersion > 0 else {
            throw WireFormatError(
                offset: message.range.lowerBound,
                reason: "specificationVersion is \(specificationVersion); a Core ML model has 1 or more")
        }
        description = try CoreMLDescription(message.message("description", 2))
        guard let number = message.fieldNumbers.last(where: { $0 >= 200 }) else {
            throw WireFormatError(offset: message.range.lowerBound, reason: "the file holds no model")
        }
        guard let kind = CoreMLModelKind.name(of: number), let content = try message.message(kind, number) else {
            kind = "unknown kind \(number)"
            contents = .other
            return
        }
        self.kind = kind
        switch CoreMLModelKind(rawValue: number) {
        case .neuralNetwork, .neuralNetworkClassifier, .neuralNetworkRegressor:
            contents = .network(try CoreMLNetwork(content))
        case .pipeline:
            contents = .pipeline(try Self.stages(content))
        case .pipelineClassifier, .pipelineRegressor:
            contents = .pipeline(try content.message("pipeline", 1).map(Self.stages) ?? [])
        case .nonMaximumSuppression:
            contents = .suppression(labels: try content.classLabels())
        case .identity:
            contents = .identity
        case nil:
            contents = .other
        }
    }

    /// The models of a `Pipeline`, in order.
    private static func stages(_ message: ProtocolBufferMessage) throws(WireFormatError) -> [CoreMLModel] {
        let fields = message.occurrences(of: 1)
        guard fields.count <= maximumStages else {
            throw WireFormatError(
                offset: message.range.lowerBound,
                reason: "the pipeline has \(fields.count) stages, more than \(maximumStages)")
        }
        return try fields.map { field throws(WireFormatError) in try CoreMLModel(message.nested("models", field)) }
    }
}
