/// A model's inputs and outputs and its licence (`ModelDescription` of `Model.proto`).
struct CoreMLDescription: Sendable {
    let inputs: [CoreMLFeature]
    let outputs: [CoreMLFeature]
    /// The output that carries every class's probability; empty unless the model classifies.
    let predictedProbabilitiesName: String
    let licence: String

    init(_ message: ProtocolBufferMessage?) throws(WireFormatError) {
        var inputs: [CoreMLFeature] = []
        for input in try message?.messages("input", 1) ?? [] { inputs.append(try CoreMLFeature(input)) }
        var outputs: [CoreMLFeature] = []
        for output in try message?.messages("output", 10) ?? [] { outputs.append(try CoreMLFeature(output)) }
        self.inputs = inputs
        self.outputs = outputs
        predictedProbabilitiesName = try message?.string("predictedProbabilitiesName", 12) ?? ""
        licence = try message?.message("metadata", 100)?.string("license", 4) ?? ""
    }
}
