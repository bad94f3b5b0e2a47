/// A model's inputs and outputs and its author's description (`ModelDescription` of `Model.proto`).
struct CoreMLDescription: Sendable {
    let inputs: [CoreMLFeature]
    let outputs: [CoreMLFeature]
    /// The output that carries the most probable class; empty unless the model classifies.
    let predictedFeatureName: String
    /// The output that carries every class's probability; empty unless the model classifies.
    let predictedProbabilitiesName: String
    let metadata: ImportedModel.Metadata

    init(_ message: ProtocolBufferMessage?) throws(WireFormatError) {
        var inputs: [CoreMLFeature] = []
        for input in try message?.messages("input", 1) ?? [] { inputs.append(try CoreMLFeature(input)) }
        var outputs: [CoreMLFeature] = []
        for output in try message?.messages("output", 10) ?? [] { outputs.append(try CoreMLFeature(output)) }
        self.inputs = inputs
        self.outputs = outputs
        predictedFeatureName = try message?.string("predictedFeatureName", 11) ?? ""
        predictedProbabilitiesName = try message?.string("predictedProbabilitiesName", 12) ?? ""
        metadata = try ImportedModel.Metadata(message?.message("metadata", 100))
    }
}

extension ImportedModel.Metadata {
    /// Reads `Metadata` of `Model.proto`.
    init(_ message: ProtocolBufferMessage?) throws(WireFormatError) {
        var userDefined: [String: String] = [:]
        for entry in try message?.messages("userDefined", 100) ?? [] {
            userDefined[try entry.string("key", 1)] = try entry.string("value", 2)
        }
        self.init(
            author: try message?.string("author", 3) ?? "",
            licence: try message?.string("license", 4) ?? "",
            description: try message?.string("shortDescription", 1) ?? "",
            version: try message?.string("versionString", 2) ?? "",
            userDefined: userDefined)
    }
}
