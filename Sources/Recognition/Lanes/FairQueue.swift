/// Photos that wait for workers shared by several models. Each model has a ``BatchQueue``, and the models take fair
/// turns. A pure value.
struct FairQueue<Key: Hashable, Payload> {
    /// A worker's turn: photos of one model.
    struct Turn {
        let key: Key
        let batch: BatchQueue<Payload>.Batch
        /// The estimated duration of the turn, in seconds.
        fileprivate let estimate: Double
    }

    enum Next {
        case turn(Turn)
        /// Photos wait, and may wait a little longer for more.
        case notBefore(ContinuousClock.Instant)
        case empty
    }

    let policy: BatchPolicy
    private var queues: [Key: BatchQueue<Payload>] = [:]
    private var turns = FairTurns<Key>()

    init(policy: BatchPolicy) {
        self.policy = policy
    }

    /// The number of waiting entries of one model.
    func count(of key: Key) -> Int { queues[key]?.count ?? 0 }

    /// The number of waiting entries of all models.
    var count: Int { queues.values.reduce(0) { $0 + $1.count } }

    /// Adds an entry. Returns false if the model's queue is full.
    mutating func admit(
        _ payload: Payload, to key: Key, id: UInt64, isBegun: Bool = false, priority: Priority,
        now: ContinuousClock.Instant,
        deadline: ContinuousClock.Instant? = nil
    ) -> Bool {
        queues[key, default: BatchQueue(policy: policy)]
            .admit(payload, id: id, isBegun: isBegun, priority: priority, now: now, deadline: deadline)
    }

    /// Removes an entry whose client left. Nil if it is not waiting any more.
    mutating func depart(_ id: UInt64, from key: Key) -> Payload? { queues[key]?.depart(id) }

    /// Removes the entries whose deadline has passed.
    mutating func dropExpired(now: ContinuousClock.Instant) -> [Payload] {
        var expired: [Payload] = []
        for key in queues.keys { expired += queues[key]?.dropExpired(now: now) ?? [] }
        return expired
    }

    /// Removes a model with all its waiting entries.
    mutating func remove(_ key: Key) -> [Payload] {
        turns.forget(key)
        var queue = queues.removeValue(forKey: key)
        return queue?.removeAll() ?? []
    }

    mutating func removeAll() -> [Payload] { queues.keys.flatMap { remove($0) } }

    /// The next turn for a free worker. While other models wait, it is no longer than ``BatchPolicy/maximumTurn``.
    ///
    /// - Parameter workers: the number of workers for a model. 0 if the free worker cannot serve it.
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

    /// Records the end of a turn and its duration in seconds.
    mutating func end(_ turn: Turn, seconds: Double) {
        turns.end(turn.key, photos: turn.batch.entries.count, estimate: turn.estimate, seconds: seconds)
    }
}
