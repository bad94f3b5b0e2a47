/// What a classifier said of the same thing in several pictures, the later ones counting more: a mean of its outputs with
/// forgetting. Of logits that is the mean of the log-probabilities, but for a constant.
package struct OutputVotes: Sendable {
    /// `name@version` of the model that voted.
    private var model: String?
    private var sums: [[Float]] = []
    /// The votes that the sums are worth: below 1 / (1 − kept).
    private var weight: Float = 0
    /// Votes that were cast.
    package private(set) var count = 0

    package init() {}

    /// Casts a vote.
    ///
    /// - Parameters:
    ///   - kept: what the earlier votes keep of their weight, 0…1.
    ///   - share: what this one weighs, above 0.
    mutating func add(_ output: ModelOutput, of model: LoadedModel, keeping kept: Float, weight share: Float = 1) {
        let name = "\(model.manifest.name)@\(model.manifest.version)"
        // Outputs of another model are not to be added to.
        if name != self.model || sums.map(\.count) != output.values.map(\.count) {
            self = OutputVotes()
            self.model = name
            sums = output.values.map { $0.map { $0 * share } }
        } else {
            for tensor in sums.indices {
                for index in sums[tensor].indices {
                    sums[tensor][index] = sums[tensor][index] * kept + share * output.values[tensor][index]
                }
            }
        }
        weight = weight * kept + share
        count += 1
    }

    /// What they say together; nil before the first.
    var mean: ModelOutput? {
        guard count > 0 else { return nil }
        return ModelOutput(values: sums.map { sum in sum.map { $0 / weight } })
    }
}
