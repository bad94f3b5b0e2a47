/// The picture that a network takes, and its preprocessing before the first layer.
extension NetworkConversion {
    struct Picture {
        let name: String
        let width: Int
        let height: Int
        let channels: ImportedModel.ChannelOrder
        /// Whether the network's blobs have exact shapes; see ``LayerGraph/hasExactShapes``.
        let isExact: Bool
        /// The number of dimensions that the first layer takes: 4, or 3 for an array without a batch.
        let rank: Int
    }

    /// The longest side of a picture, in pixels. A classifier's input is never larger.
    private static let maximumSide = 16_384

    func picture() throws(CoreMLError) -> Picture {
        let required = description.inputs.filter { !$0.isOptional }
        guard required.count == 1, let feature = required.first else {
            let names = required.map(\.name).joined(separator: ", ")
            throw .invalidFeature(
                name: names.isEmpty ? "(none)" : names, reason: "an image model has one input, this \(required.count)")
        }
        let picture: Picture
        switch feature.kind {
        case .image(let width, let height, let colourSpace):
            let channels: ImportedModel.ChannelOrder =
                switch colourSpace {
                case .rgb: .rgb
                case .bgr: .bgr
                case .greyscale, .greyscaleFloat16: .greyscale
                }
            picture = Picture(
                name: feature.name, width: width, height: height, channels: channels,
                isExact: network.hasExactImages, rank: 4)
        case .array(let shape):
            picture = try self.picture(feature.name, ofArray: shape)
        case .dictionary:
            throw .invalidFeature(name: feature.name, reason: "it is a dictionaryType, not an image")
        case .other(let kind):
            throw .invalidFeature(name: feature.name, reason: "it is a \(kind), not an image")
        }
        guard (1...Self.maximumSide).contains(picture.width), (1...Self.maximumSide).contains(picture.height) else {
            throw .invalidFeature(
                name: feature.name,
                reason: "\(picture.width)×\(picture.height) is outside 1…\(Self.maximumSide) pixels each way")
        }
        return picture
    }

    /// The picture for an array of (C, H, W) or (1, C, H, W), with 1 channel or 3 that are taken to be RGB.
    private func picture(_ name: String, ofArray shape: [Int]) throws(CoreMLError) -> Picture {
        let dimensions = shape.count == 4 && shape[0] == 1 ? Array(shape.dropFirst()) : shape
        guard dimensions.count == 3, [1, 3].contains(dimensions[0]) else {
            throw .invalidFeature(
                name: name, reason: "an array of the shape \(shape) is not a picture of 1 or 3 channels")
        }
        let isExact = network.hasExactArrays
        return Picture(
            name: name, width: dimensions[2], height: dimensions[1], channels: dimensions[0] == 1 ? .greyscale : .rgb,
            isExact: isExact, rank: isExact ? shape.count : 4)
    }

    /// Combines the preprocessing into `scale * pixel + biases`. A mean image becomes a node of the graph.
    func preprocess(
        _ pixels: Blob, of picture: Picture, _ graph: LayerGraph
    ) throws(CoreMLError) -> (scale: Float, biases: [Float], blob: Blob) {
        var scale: Float = 1
        var biases = Array(repeating: Float(0), count: picture.channels.count)
        var mean: [Float] = []
        for (input, step) in network.preprocessing where input.isEmpty || input == picture.name {
            switch step {
            case .scaler(let factor, let blue, let green, let red, let grey):
                let added: [Float] =
                    switch picture.channels {
                    case .rgb: [red, green, blue]
                    case .bgr: [blue, green, red]
                    case .greyscale: [grey]
                    }
                scale *= factor
                for channel in biases.indices { biases[channel] = biases[channel] * factor + added[channel] }
                // A mean that was subtracted earlier is scaled along with the pixels.
                mean = mean.map { $0 * factor }
            case .meanImage(let image):
                let count = picture.channels.count * picture.height * picture.width
                guard image.count == count, mean.isEmpty else {
                    throw .invalidFeature(
                        name: picture.name, reason: "a mean image of \(image.count) numbers instead of \(count)")
                }
                mean = image
            }
        }
        guard ([1] + biases).allSatisfy({ ($0 / scale).isFinite }) else {
            throw .invalidFeature(
                name: picture.name, reason: "its scale \(scale) and biases \(biases) make no finite numbers of levels")
        }
        if mean.isEmpty { return (scale, biases, pixels) }
        let shape = [picture.channels.count, picture.height, picture.width]
        do {
            let image = graph.constant(ONNXTensor(mean, shape: shape))
            return (scale, biases, try graph.binary("Sub", pixels, image))
        } catch {
            throw .invalidFeature(name: picture.name, reason: error.description)
        }
    }
}
