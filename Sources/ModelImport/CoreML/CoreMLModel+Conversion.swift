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
                labels: network.labels, suppression: nil, licence: description.licence)
        case .pipeline(let stages):
            return try convert(stages)
        case .suppression, .identity, .other:
            throw .unsupportedModel(kind: kind)
        }
    }

    /// Converts a pipeline of one network. Only a suppression may follow it, which our own code carries out.
    private func convert(_ stages: [CoreMLModel]) throws(CoreMLError) -> ImportedModel {
        var network: (description: CoreMLDescription, network: CoreMLNetwork)?
        var suppression: CoreMLSuppression?
        for stage in stages {
            switch stage.contents {
            case .network(let content) where network == nil && suppression == nil:
                network = (stage.description, content)
            case .suppression(let content) where network != nil && suppression == nil:
                suppression = content
            case .identity:
                continue
            default:
                throw .unsupportedPipeline(stages: stages.map(\.kind))
            }
        }
        guard let network else { throw .unsupportedPipeline(stages: stages.map(\.kind)) }
        let labels = network.network.labels.isEmpty ? suppression?.labels ?? [] : network.network.labels
        return try NetworkConversion(description: network.description, network: network.network).convert(
            labels: labels, suppression: suppression?.suppression, licence: description.licence)
    }
}
