package import FoundationEssentials
package import Learning

/// The result of a training, which converts features to logits.
package struct TrainedHead: Codable, Sendable, Equatable {
    /// The class names in the order of the logits.
    package let labels: [String]
    /// Subtracted from the features before they are scaled to length 1. Nil leaves the features as they are.
    package let centre: [Float]?
    /// classes × features, row-major.
    package let weights: [Float]
    /// One value for each class.
    package let bias: [Float]
    /// The class that means "none of these". Nil if there is none.
    package let background: Int?
    /// The divisor of logits.
    package let temperature: Double
    /// The head abstains below this confidence, 0…1.
    package let abstainBelow: Double
    /// Detects photos unlike anything learnt. Nil in files of earlier versions, where photos were too few.
    package let classMeans: ClassMeans?
    /// Remarks on labels with few photos.
    package let notes: [String: String]

    package init(
        labels: [String], centre: [Float]? = nil, weights: [Float], bias: [Float], background: Int? = nil,
        temperature: Double, abstainBelow: Double, classMeans: ClassMeans? = nil, notes: [String: String] = [:]
    ) {
        self.labels = labels
        self.centre = centre
        self.weights = weights
        self.bias = bias
        self.background = background
        self.temperature = temperature
        self.abstainBelow = abstainBelow
        self.classMeans = classMeans
        self.notes = notes
    }

    /// Whether there are as many numbers as labels and features demand.
    fileprivate var isConsistent: Bool {
        !labels.isEmpty && weights.count == labels.count * features && bias.count == labels.count
            && centre.map { $0.count == features } ?? true
    }

    /// The number of features that the head reads.
    package var features: Int { labels.isEmpty ? 0 : weights.count / labels.count }

    /// The logits before the temperature, one for each label. Empty if the number of features is wrong.
    package func logits(of features: [Float]) -> [Float] {
        guard self.features > 0, features.count == self.features else { return [] }
        var row = features
        if let centre {
            row = zip(features, centre).map { $0 - $1 }
            let length = max(row.reduce(0) { $0 + $1 * $1 }, 1e-12).squareRoot()
            row = row.map { $0 / length }
        }
        return LinearClassifier(classes: labels.count, features: row.count, weights: weights, bias: bias)
            .logits(of: row[...])
    }
}

/// `head.json`: only the head of a trained version, for use with features that exist already.
package struct TrainedHeadFile: Codable, Sendable {
    package static let name = "head.json"

    package static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }

    /// `name@version` of the model whose features it reads.
    package let base: String
    package let head: TrainedHead

    package init(base: String, head: TrainedHead) {
        self.base = base
        self.head = head
    }

    /// Reads the file in a model's folder. Nil if there is no intact one. Blocks.
    package init?(in folder: String) {
        guard let data = FileManager.default.contents(atPath: "\(folder)/\(Self.name)"),
            let file = try? Self.decoder.decode(Self.self, from: data), file.head.isConsistent
        else { return nil }
        self = file
    }
}
