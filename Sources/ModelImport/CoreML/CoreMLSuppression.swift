/// The last stage of a detector's pipeline (`NonMaximumSuppression` of `NonMaximumSuppression.proto`).
struct CoreMLSuppression: Sendable {
    let suppression: ImportedModel.Suppression
    let labels: [String]

    init(_ message: ProtocolBufferMessage) throws(WireFormatError) {
        suppression = ImportedModel.Suppression(
            intersectionOverUnion: try message.double("iouThreshold", 110),
            confidence: try message.double("confidenceThreshold", 111),
            isPerClass: try message.message("pickTop", 1)?.bool("perClass", 1) ?? false,
            confidenceOutput: try message.string("confidenceInputFeatureName", 200),
            coordinatesOutput: try message.string("coordinatesInputFeatureName", 201))
        if let texts = try message.message("stringClassLabels", 100) {
            labels = try texts.strings("vector", 1)
        } else if let numbers = try message.message("int64ClassLabels", 101) {
            labels = try numbers.integers("vector", 1).map(String.init)
        } else {
            labels = []
        }
    }
}
