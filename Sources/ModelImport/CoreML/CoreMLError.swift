/// The reason why a Core ML file could not be imported.
package enum CoreMLError: Error, Equatable, Sendable {
    /// A layer that has no translation.
    package struct UnsupportedLayer: Equatable, Sendable {
        package let name: String
        /// The layer's type as `NeuralNetwork.proto` calls it, such as `gru`.
        package let type: String
    }

    /// The file is damaged or not a Core ML file.
    case malformed(WireFormatError)
    /// The model is not a neural network but of another kind, such as `treeEnsembleClassifier`.
    case unsupportedModel(kind: String)
    /// The pipeline has other stages than one neural network and stages that compute nothing.
    case unsupportedPipeline(stages: [String])
    /// These layers have no translation. They are in file order.
    case unsupportedLayers([UnsupportedLayer])
    /// The layer's parameters contradict each other or its input, or use an option without a translation.
    case invalidLayer(name: String, type: String, reason: String)
    /// An image model cannot have this input, output or label list.
    case invalidFeature(name: String, reason: String)
    /// The model exceeds the importer's limits.
    case tooLarge(String)
}

extension CoreMLError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .malformed(let error):
            return "This is not a Core ML file, or it is damaged: \(error)."
        case .unsupportedModel(let kind):
            return "A Core ML model of the kind \(kind) cannot be imported; neuralNetwork, neuralNetworkClassifier, "
                + "neuralNetworkRegressor and pipelines around one of them can."
        case .unsupportedPipeline(let stages):
            return "A Core ML pipeline of the stages \(stages.joined(separator: ", ")) cannot be imported; one neural "
                + "network, followed by nonMaximumSuppression or identity, can."
        case .unsupportedLayers(let layers):
            let list = layers.map { "\($0.name) (\($0.type))" }.joined(separator: ", ")
            return "\(layers.count) layer(s) have no translation: \(list)."
        case .invalidLayer(let name, let type, let reason):
            return "The layer \(name) (\(type)) cannot be translated: \(reason)."
        case .invalidFeature(let name, let reason):
            return "The feature \(name) does not suit an image model: \(reason)."
        case .tooLarge(let what):
            return "The model is too large: \(what)."
        }
    }
}
