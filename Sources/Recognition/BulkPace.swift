import Base

/// Keeps work that nobody waits for, a training or a video, out of the way of those who wait for an answer.
///
/// While nobody classifies, every worker looks at photos. From when somebody does until a while after, one worker goes on,
/// in the gaps, so that a processor core and an engine lane are free for whoever comes next.
package struct BulkPace: Sendable {
    /// How long after the last photo of others it is still taken for busy.
    private static let memory = Duration.milliseconds(500)
    /// How long the one worker that goes on waits for a gap at most: the work is never starved.
    private static let patience = Duration.milliseconds(40)
    private static let step = Duration.milliseconds(2)

    let recogniser: Recogniser
    private let lastSeen = Locked<ContinuousClock.Instant?>(nil)

    package init(_ recogniser: Recogniser) {
        self.recogniser = recogniser
    }

    /// Whether somebody else has classified just now.
    package var isBusy: Bool {
        let isInside = recogniser.inFlight > 0
        return lastSeen.withLock { last in
            if isInside { last = .now }
            return last.map { .now - $0 < Self.memory } ?? false
        }
    }

    /// Threads that may compute.
    package func threads(of cores: Int) -> Int { isBusy ? 1 : cores }

    /// Photos that may be looked at, at a time.
    package var lanes: Int { threads(of: recogniser.laneCount) }

    /// Returns when a worker may take its next photo.
    ///
    /// - Throws: `CancellationError`.
    package func turn(of worker: Int) async throws {
        try Task.checkCancellation()
        if worker > 0 {
            while isBusy { try await Task.sleep(for: .milliseconds(20)) }
            return
        }
        let start = ContinuousClock.now
        while recogniser.inFlight > 0, .now - start < Self.patience { try await Task.sleep(for: Self.step) }
        _ = isBusy
    }

    /// What the body makes of each of so many photos, in their order, by workers that keep to this pace.
    ///
    /// - Parameter progress: is told how many photos are done.
    /// - Throws: `CancellationError`, or what the body throws.
    package func map<Value: Sendable>(
        _ count: Int, workers: Int, progress: @escaping @Sendable (Int) -> Void,
        _ body: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> [Value] {
        let values = Locked([Value?](repeating: nil, count: count))
        let next = Locked((index: 0, done: 0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<max(1, workers) {
                group.addTask {
                    while true {
                        try await turn(of: worker)
                        let index = next.withLock { next in
                            defer { next.index += 1 }
                            return next.index
                        }
                        guard index < count else { return }
                        let value = try await body(index)
                        values.withLock { $0[index] = value }
                        progress(
                            next.withLock { next in
                                next.done += 1
                                return next.done
                            })
                    }
                }
            }
            try await group.waitForAll()
        }
        return values.withLock { $0.compactMap(\.self) }
    }
}
