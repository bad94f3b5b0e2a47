/// Who goes first when photos wait.
package enum Priority: String, Sendable, CaseIterable, Codable {
    /// Someone waits for the answer.
    case interactive
    /// Archives, imports, training: any time soon.
    case bulk
}

/// The rules a `BatchQueue` goes by.
package struct BatchPolicy: Sendable, Equatable {
    /// Photos (not requests) that a lane takes at once, at least 1; it works on one after the other.
    package var maximumBatchSize: Int
    /// Photos that may wait; the next is refused.
    package var maximumQueueDepth: Int
    /// How long a batch that is not full may wait for more photos. Zero: never, which is work-conserving.
    package var maximumQueueDelay: Duration
    /// While bulk photos wait, one of so many places is theirs, so that interactive ones cannot starve them.
    package var bulkShare: Int
    /// How long one line may keep a lane while others wait; one photo at least.
    package var maximumTurn: Duration

    /// Defaults: 8 photos a batch, 256 waiting, no delay, every fourth place for bulk, turns of 20 ms.
    package init(
        maximumBatchSize: Int = 8, maximumQueueDepth: Int = 256, maximumQueueDelay: Duration = .zero,
        bulkShare: Int = 4, maximumTurn: Duration = .milliseconds(20)
    ) {
        self.maximumBatchSize = max(1, maximumBatchSize)
        self.maximumQueueDepth = max(1, maximumQueueDepth)
        self.maximumQueueDelay = maximumQueueDelay
        self.bulkShare = max(1, bulkShare)
        self.maximumTurn = maximumTurn
    }
}
