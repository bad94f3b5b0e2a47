package import Imaging
package import Recognition

/// What is wanted of the frames of a stream; it may change while the stream runs.
package struct AnalyserOptions: Sendable, Equatable {
    /// Frames that vote at most, and at least.
    package static let consensusRange = 1...100

    /// A classifier or a detector, `name` or `name@version`; nil: the default ones.
    package var model: String?
    /// Whether boxes are found and tracked.
    package var detects: Bool
    package var crop: CropPolicy?
    /// The one head that answers whatever presence says; nil: the one that fits.
    package var head: String?
    /// Heads that the classifier must have.
    package var requiredHeads: [String]
    /// Frames that have a say in what is answered: about so many of the last ones.
    package var consensus: Int
    /// Whether cats and dogs are classified by breed.
    package var findsBreeds: Bool
    package var priority: Priority
    /// How long a frame may wait for its turn.
    package var patience: Duration

    package init(
        model: String? = nil, detects: Bool = true, crop: CropPolicy? = nil, head: String? = nil,
        requiredHeads: [String] = [], consensus: Int = 5, findsBreeds: Bool = true, priority: Priority = .interactive,
        patience: Duration = .seconds(10)
    ) {
        self.model = model
        self.detects = detects
        self.crop = crop
        self.head = head
        self.requiredHeads = requiredHeads
        self.consensus = min(max(consensus, Self.consensusRange.lowerBound), Self.consensusRange.upperBound)
        self.findsBreeds = findsBreeds
        self.priority = priority
        self.patience = patience
    }

    /// What the votes so far keep of their weight when another is cast, so that the weight of all is that of ``consensus``
    /// votes.
    var memory: Float { Float(consensus - 1) / Float(consensus) }
}
