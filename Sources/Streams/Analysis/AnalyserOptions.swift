package import Imaging
package import Recognition

/// The settings for analysing a stream's frames. They may change while the stream runs.
package struct AnalyserOptions: Sendable, Equatable {
    /// The allowed number of voting frames.
    package static let consensusRange = 1...100

    /// A classifier or a detector, as `name` or `name@version`. Nil takes the default models.
    package var model: String?
    /// Whether a detector finds boxes, which are then tracked.
    package var detects: Bool
    package var crop: CropPolicy?
    /// The head that always answers. Nil lets the presence head choose.
    package var head: String?
    /// The heads that the classifier must have.
    package var requiredHeads: [String]
    /// The approximate number of latest frames that vote on the answer.
    package var consensus: Int
    package var priority: Priority
    /// The longest time that a frame may wait for a lane.
    package var patience: Duration

    package init(
        model: String? = nil, detects: Bool = true, crop: CropPolicy? = nil, head: String? = nil,
        requiredHeads: [String] = [], consensus: Int = 5, priority: Priority = .interactive,
        patience: Duration = .seconds(10)
    ) {
        self.model = model
        self.detects = detects
        self.crop = crop
        self.head = head
        self.requiredHeads = requiredHeads
        self.consensus = min(max(consensus, Self.consensusRange.lowerBound), Self.consensusRange.upperBound)
        self.priority = priority
        self.patience = patience
    }

    /// The same for a file: nobody waits for an answer, and the answers do not depend on the speed of the machine.
    package var forFile: Self {
        var options = self
        (options.priority, options.patience) = (.background, .seconds(300))
        return options
    }

    /// The share of their weight that earlier votes keep when a frame is added. In the long run all votes together then
    /// weigh as much as ``consensus`` votes.
    var memory: Float { Float(consensus - 1) / Float(consensus) }
}
