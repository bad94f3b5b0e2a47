/// A model's inputs and outputs and its licence (`ModelDescription` of `Model.proto`).
struct CoreMLDescription: Sendable {
    let inputs: [CoreMLFeature]
    let outputs: [CoreMLFeature]
    /// The output that carries every class's probability; empty unless the model classifies.
    let predictedProbabilitiesName: String
    let licence: String

    init(_ message: ProtocolBufferMessage?) throws(WireFormatError) {
        func features(_ name: String, _ number: Int) throws(WireFormatError) -> [CoreMLFeature] {
            let features = try message?.messages(name, number) ?? []
            return try features.map { feature throws(WireFormatError) in try CoreMLFeature(feature) }
        }
        inputs = try features("input", 1)
        outputs = try features("output", 10)
        predictedProbabilitiesName = try message?.string("predictedProbabilitiesName", 12) ?? ""
        licence = try message?.message("metadata", 100)?.string("license", 4) ?? ""
    }
}

/// The description of one input or output of a model (`FeatureDescription` of `Model.proto`).
struct CoreMLFeature: Sendable, Equatable {
    enum ColourSpace: Int, Sendable {
        case greyscale = 10
        case rgb = 20
        case bgr = 30
        case greyscaleFloat16 = 40
    }

    enum Kind: Sendable, Equatable {
        /// A picture. The size is in pixels. A model with a flexible size gives its default.
        case image(width: Int, height: Int, colourSpace: ColourSpace)
        /// An array without a batch: (C), (C, H, W), or in newer models the exact shape. Empty if unknown.
        case array(shape: [Int])
        /// Class names with their probabilities.
        case dictionary
        /// One number or text, or a kind that no image model has, by its name in the specification.
        case other(String)
    }

    let name: String
    let kind: Kind
    let isOptional: Bool

    init(_ message: ProtocolBufferMessage) throws(WireFormatError) {
        name = try message.string("name", 1)
        let type = try message.message("type", 3)
        isOptional = try type?.bool("isOptional", 1000) ?? false
        guard let type else {
            kind = .other("untyped")
            return
        }
        if let image = try type.message("imageType", 4) {
            kind = try Self.image(image)
        } else if let array = try type.message("multiArrayType", 5) {
            kind = .array(shape: try Self.shape(array))
        } else if type.contains(6) {
            kind = .dictionary
        } else {
            let names = [1: "int64Type", 2: "doubleType", 3: "stringType", 7: "sequenceType", 8: "stateType"]
            kind = .other(type.fieldNumbers.compactMap { names[$0] }.first ?? "untyped")
        }
    }

    private static func image(_ message: ProtocolBufferMessage) throws(WireFormatError) -> Kind {
        var width = try message.size("width", 1)
        var height = try message.size("height", 2)
        // A model with enumerated sizes may leave out the default. The first size is then the default.
        let sizes = try message.message("enumeratedSizes", 21)?.messages("sizes", 1) ?? []
        if width == 0 || height == 0, let first = sizes.first {
            width = try first.size("width", 1)
            height = try first.size("height", 2)
        }
        let number = try message.integer("colorSpace", 3)
        guard let colourSpace = ColourSpace(rawValue: number) else {
            throw WireFormatError(
                offset: message.range.lowerBound, reason: "colour space \(number) is not 10, 20, 30 or 40")
        }
        return .image(width: width, height: height, colourSpace: colourSpace)
    }

    private static func shape(_ message: ProtocolBufferMessage) throws(WireFormatError) -> [Int] {
        let shape = try message.sizes("shape", 1)
        if shape.isEmpty, let first = try message.message("enumeratedShapes", 21)?.messages("shapes", 1).first {
            return try first.sizes("shape", 1)
        }
        return shape
    }
}
