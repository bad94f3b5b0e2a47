/// The priority of a waiting photo.
package enum Priority: String, Sendable, CaseIterable, Codable {
    /// Somebody waits for the answer.
    case interactive
    /// Somebody waits for many photos together, such as those of an archive. Other photos go first.
    case bulk
    /// Nobody waits. Trainings, evaluations and films use the lanes that are left over; see `BackgroundPace`.
    case background
}

/// The rules of a `PhotoQueue`.
package struct QueuePolicy: Sendable, Equatable {
    /// The most photos that may wait. Further ones are refused.
    package var maximumDepth: Int
    /// While bulk photos wait, one of this many turns is theirs, so that interactive ones cannot starve them.
    package var bulkShare: Int

    /// The defaults are 256 waiting, every fourth turn for bulk.
    package init(maximumDepth: Int = 256, bulkShare: Int = 4) {
        self.maximumDepth = max(1, maximumDepth)
        self.bulkShare = max(1, bulkShare)
    }
}
