import Base

/// Makes background work, such as a training or a video, yield to requests that somebody waits for.
///
/// While nobody classifies, every worker processes photos. Otherwise, and for a while after, only one worker continues,
/// in the gaps. A processor core and an engine lane then stay free for the next request.
package struct BulkPace: Sendable {
    /// The time after the last foreground photo in which the machine still counts as busy.
    private static let memory = Duration.milliseconds(500)
    /// The longest wait of the remaining worker for a gap, so that the work is never starved.
    private static let patience = Duration.milliseconds(40)
    private static let step = Duration.milliseconds(2)

    let recogniser: Recogniser
    private let lastSeen = Locked<ContinuousClock.Instant?>(nil)

    package init(_ recogniser: Recogniser) {
        self.recogniser = recogniser
    }

    /// Whether somebody else has classified a photo recently.
    package var isBusy: Bool {
        let isInside = recogniser.inFlight > 0
        return lastSeen.withLock { last in
            if isInside { last = .now }
            return last.map { .now - $0 < Self.memory } ?? false
        }
    }

    /// The number of threads that may compute.
    package func threads(of cores: Int) -> Int { isBusy ? 1 : cores }

    /// The number of photos that may be processed at once.
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

    /// Runs the body for each of `count` photos on workers at this pace, and returns the results in order.
    ///
    /// - Parameter progress: receives the number of photos done.
    /// - Throws: `CancellationError`, or errors of the body.
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
