/// Photos that wait for workers which several models share: a ``BatchQueue`` for each model, and fair turns between
/// them. A pure value.
struct FairQueue<Key: Hashable, Payload> {
    /// What a worker takes: photos of one model.
    struct Turn {
        let key: Key
        let batch: BatchQueue<Payload>.Batch
        /// Seconds that the turn was reckoned to take.
        fileprivate let estimate: Double
    }

    enum Next {
        case turn(Turn)
        /// Photos wait and may wait a little longer for company.
        case notBefore(ContinuousClock.Instant)
        case empty
    }

    let policy: BatchPolicy
    private var queues: [Key: BatchQueue<Payload>] = [:]
    private var turns = FairTurns<Key>()

    init(policy: BatchPolicy) {
        self.policy = policy
    }

    /// Entries of one model that wait.
    func count(of key: Key) -> Int { queues[key]?.count ?? 0 }

    /// Entries of all models that wait.
    var count: Int { queues.values.reduce(0) { $0 + $1.count } }

    /// Takes an entry in, or says no because the model's queue is full.
    mutating func admit(
        _ payload: Payload, to key: Key, id: UInt64, isBegun: Bool = false, priority: Priority,
        now: ContinuousClock.Instant,
        deadline: ContinuousClock.Instant? = nil
    ) -> Bool {
        queues[key, default: BatchQueue(policy: policy)]
            .admit(payload, id: id, isBegun: isBegun, priority: priority, now: now, deadline: deadline)
    }

    /// Removes an entry whose client left; nil when it is no longer here.
    mutating func depart(_ id: UInt64, from key: Key) -> Payload? { queues[key]?.depart(id) }

    /// Removes the entries whose deadline has come.
    mutating func dropExpired(now: ContinuousClock.Instant) -> [Payload] {
        var expired: [Payload] = []
        for key in queues.keys { expired += queues[key]?.dropExpired(now: now) ?? [] }
        return expired
    }

    /// Removes a model with everything that waits for it.
    mutating func remove(_ key: Key) -> [Payload] {
        turns.forget(key)
        var queue = queues.removeValue(forKey: key)
        return queue?.removeAll() ?? []
    }

    /// Removes everything.
    mutating func removeAll() -> [Payload] { queues.keys.flatMap { remove($0) } }

    /// The next turn for a free worker. While other models wait, a turn is not longer than
    /// ``BatchPolicy/maximumTurn``.
    ///
    /// - Parameter workers: how many workers serve a model; 0 for one that the free worker cannot serve.
    mutating func next(now: ContinuousClock.Instant, workers: (Key) -> Int = { _ in 1 }) -> Next {
        let waiting = queues.filter { $0.value.count > 0 }.map(\.key)
        var earliest: ContinuousClock.Instant?
        for key in turns.order(of: waiting) {
            let workers = workers(key)
            guard workers > 0 else { continue }
            let limit = waiting.count > 1 ? turns.photos(of: key, within: policy.maximumTurn.seconds) : nil
            switch queues[key]?.next(now: now, workers: workers, limit: limit) {
            case .batch(let batch):
                let estimate = turns.begin(key, photos: batch.entries.count)
                return .turn(Turn(key: key, batch: batch, estimate: estimate))
            case .notBefore(let instant):
                earliest = earliest.map { min($0, instant) } ?? instant
            case .empty, nil:
                continue
            }
        }
        return earliest.map { .notBefore($0) } ?? .empty
    }

    /// A turn has ended and took so many seconds.
    mutating func end(_ turn: Turn, seconds: Double) {
        turns.end(turn.key, photos: turn.batch.entries.count, estimate: turn.estimate, seconds: seconds)
    }
}
