/// The priority of a waiting photo.
package enum Priority: String, Sendable, CaseIterable, Codable {
    /// Somebody waits for the answer.
    case interactive
    /// Archives, imports and trainings can wait.
    case bulk
}

/// The rules of a `BatchQueue`.
package struct BatchPolicy: Sendable, Equatable {
    /// The most photos (not requests) that a lane takes at once, at least 1. It processes them one by one.
    package var maximumBatchSize: Int
    /// The most photos that may wait. Further ones are refused.
    package var maximumQueueDepth: Int
    /// The longest wait of a batch that is not full. Zero never waits, so no lane is idle while a photo waits.
    package var maximumQueueDelay: Duration
    /// While bulk photos wait, one of this many places is theirs, so that interactive ones cannot starve them.
    package var bulkShare: Int
    /// The longest time that one line may keep a lane while others wait. One photo is always allowed.
    package var maximumTurn: Duration

    /// The defaults are 8 photos a batch, 256 waiting, no delay, every fourth place for bulk, turns of 20 ms.
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
