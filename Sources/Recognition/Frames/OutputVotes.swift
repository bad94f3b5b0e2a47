/// A weighted mean of a classifier's outputs for the same object in several pictures. Later outputs weigh more. For
/// logits the result is the mean of the log-probabilities, up to a constant.
package struct OutputVotes: Sendable {
    /// The model that voted, with its version.
    private var model: ModelReference?
    private var sums: [[Float]] = []
    /// The total weight of the sums, at most 1 / (1 − kept).
    private var weight: Float = 0

    package init() {}

    /// Adds an output, and returns the weighted mean of all.
    ///
    /// - Parameters:
    ///   - kept: the share of their weight that earlier votes keep, 0…1.
    ///   - share: the weight of this output, above 0.
    mutating func add(_ output: ModelOutput, of model: LoadedModel, keeping kept: Float, weight share: Float = 1)
        -> ModelOutput
    {
        // Outputs of different models cannot be added.
        if model.manifest.reference != self.model || sums.map(\.count) != output.values.map(\.count) {
            self = OutputVotes()
            self.model = model.manifest.reference
            sums = output.values.map { $0.map { $0 * share } }
        } else {
            for tensor in sums.indices {
                for index in sums[tensor].indices {
                    sums[tensor][index] = sums[tensor][index] * kept + share * output.values[tensor][index]
                }
            }
        }
        weight = weight * kept + share
        return ModelOutput(values: sums.map { sum in sum.map { $0 / weight } })
    }
}
