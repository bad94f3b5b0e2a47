extension CoreMLModel {
    /// Translates the model's network to ONNX.
    ///
    /// The caller must apply a scaler's factor and biases to the pixels; see ``ImportedModel/Input``. The graph itself
    /// subtracts a mean image.
    ///
    /// - Throws: ``CoreMLError`` that says what cannot be translated.
    package func convert() throws(CoreMLError) -> ImportedModel {
        switch contents {
        case .network(let network):
            return try NetworkConversion(description: description, network: network).convert(
                labels: network.labels, licence: description.licence)
        case .pipeline(let stages):
            return try convert(stages)
        case .suppression, .identity, .other:
            throw .unsupportedModel(kind: kind)
        }
    }

    /// Converts a pipeline of one network. Only a suppression may follow it, which our own code carries out.
    private func convert(_ stages: [CoreMLModel]) throws(CoreMLError) -> ImportedModel {
        var network: (description: CoreMLDescription, network: CoreMLNetwork)?
        var suppressed: [String]?
        for stage in stages {
            switch stage.contents {
            case .network(let content) where network == nil && suppressed == nil:
                network = (stage.description, content)
            case .suppression(let labels) where network != nil && suppressed == nil:
                suppressed = labels
            case .identity:
                continue
            default:
                throw .unsupportedPipeline(stages: stages.map(\.kind))
            }
        }
        guard let network else { throw .unsupportedPipeline(stages: stages.map(\.kind)) }
        let labels = network.network.labels.isEmpty ? suppressed ?? [] : network.network.labels
        return try NetworkConversion(description: network.description, network: network.network).convert(
            labels: labels, licence: description.licence)
    }
}
