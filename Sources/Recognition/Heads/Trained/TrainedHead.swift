package import Learning

/// What a training found: how features become logits.
package struct TrainedHead: Codable, Sendable, Equatable {
    /// Class names; those of the logits, in their order.
    package let labels: [String]
    /// Taken away from the features before they are brought to length 1; nil: the features are taken as they are.
    package let centre: [Float]?
    /// classes × features, row-major.
    package let weights: [Float]
    /// One for each class.
    package let bias: [Float]
    /// The class that means "none of these"; nil: there is none.
    package let background: Int?
    /// Logits are divided by it.
    package let temperature: Double
    /// The answer abstains below this confidence, 0…1.
    package let abstainBelow: Double
    /// Tells what is like nothing that was learnt; nil where there were too few photos, and in files of earlier versions.
    package let classMeans: ClassMeans?
    /// What is to be said of labels of which few photos were seen.
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

    /// Features that it reads.
    package var features: Int { labels.isEmpty ? 0 : weights.count / labels.count }

    /// One for each label, before the temperature; nothing where there are not as many features as it reads.
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
