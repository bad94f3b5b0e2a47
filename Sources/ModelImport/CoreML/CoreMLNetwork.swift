/// A neural network (`NeuralNetwork`, `NeuralNetworkClassifier` and `NeuralNetworkRegressor` of `NeuralNetwork.proto`,
/// which share their field numbers).
struct CoreMLNetwork: Sendable {
    static let maximumLayers = ModelBounds.nodes

    /// One step that changes an input's pixels before the first layer.
    enum Preprocessing: Sendable {
        /// `scale * pixel + bias`.
        case scaler(scale: Float, blue: Float, green: Float, red: Float, grey: Float)
        /// `pixel - mean`, C×H×W.
        case meanImage([Float])
    }

    let layers: [CoreMLLayer]
    /// The steps, each with its input's name. Old files leave the name empty if there is only one input.
    let preprocessing: [(input: String, step: Preprocessing)]
    /// Whether arrays keep their exact shape; otherwise they are (sequence, batch, C, H, W).
    let hasExactArrays: Bool
    /// Whether images are (batch, C, H, W); otherwise they are (sequence, batch, C, H, W).
    let hasExactImages: Bool
    /// The class names. Empty unless the network is a classifier.
    let labels: [String]
    /// The blob with the probabilities of the classes. Empty if it is the last layer's output.
    let probabilitiesBlob: String

    init(_ message: ProtocolBufferMessage) throws(WireFormatError) {
        let fields = message.occurrences(of: 1)
        guard fields.count <= Self.maximumLayers else {
            throw WireFormatError(
                offset: message.range.lowerBound,
                reason: "the network has \(fields.count) layers, more than \(Self.maximumLayers)")
        }
        layers = try fields.map { field throws(WireFormatError) in try CoreMLLayer(message.nested("layers", field)) }
        var preprocessing: [(input: String, step: Preprocessing)] = []
        for step in try message.messages("preprocessing", 2) {
            guard let content = try Self.preprocessing(step) else { continue }
            preprocessing.append((try step.string("featureName", 1), content))
        }
        self.preprocessing = preprocessing
        hasExactArrays = try message.integer("arrayInputShapeMapping", 5) == 1
        hasExactImages = try message.integer("imageInputShapeMapping", 6) == 1
        labels = try message.classLabels()
        probabilitiesBlob = try message.string("labelProbabilityLayerName", 200)
    }

    private static func preprocessing(_ message: ProtocolBufferMessage) throws(WireFormatError) -> Preprocessing? {
        if let scaler = try message.message("scaler", 10) {
            let scale = try scaler.float("channelScale", 10)
            return .scaler(
                // A missing scale means no scaling. Zero would erase the picture.
                scale: scale == 0 ? 1 : scale,
                blue: try scaler.float("blueBias", 20), green: try scaler.float("greenBias", 21),
                red: try scaler.float("redBias", 22), grey: try scaler.float("grayBias", 30))
        }
        if let mean = try message.message("meanImage", 11) {
            return .meanImage(try mean.floats("meanImage", 1))
        }
        return nil
    }
}

extension ProtocolBufferMessage {
    /// The class names of a classifier or a detector. Empty if it has none.
    func classLabels() throws(WireFormatError) -> [String] {
        if let texts = try message("stringClassLabels", 100) { return try texts.strings("vector", 1) }
        return try message("int64ClassLabels", 101)?.integers("vector", 1).map(String.init) ?? []
    }
}
