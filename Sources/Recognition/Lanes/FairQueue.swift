/// Photos that wait for workers shared by several models. Each model has a ``PhotoQueue``, and the models take fair
/// turns. A pure value.
struct FairQueue<Key: Hashable, Payload> {
    /// A worker's turn: a photo of one model.
    struct Turn {
        let key: Key
        let entry: PhotoQueue<Payload>.Entry
        /// The estimated duration of the turn, in seconds.
        fileprivate let estimate: Double
    }

    let policy: QueuePolicy
    private var queues: [Key: PhotoQueue<Payload>] = [:]
    private var turns = FairTurns<Key>()

    init(policy: QueuePolicy) { self.policy = policy }

    /// The number of waiting entries of one model.
    func count(of key: Key) -> Int { queues[key]?.count ?? 0 }

    /// The number of waiting entries of all models.
    var count: Int { queues.values.reduce(0) { $0 + $1.count } }

    /// The waiting entries of all models by their effect on background work.
    var waiting: BackgroundPace.Waiting {
        queues.values.reduce(into: BackgroundPace.Waiting()) { sum, queue in
            let waiting = queue.waiting
            sum.interactive += waiting.interactive
            sum.bulk += waiting.bulk
            sum.backgroundSince = [sum.backgroundSince, waiting.backgroundSince].compactMap(\.self).min()
        }
    }

    /// Adds an entry. Returns false if the model's queue is full.
    mutating func admit(
        _ payload: Payload, to key: Key, id: UInt64, isBegun: Bool = false, priority: Priority,
        now: ContinuousClock.Instant,
        deadline: ContinuousClock.Instant? = nil
    ) -> Bool {
        queues[key, default: PhotoQueue(policy: policy)]
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

    /// The next turn for a free worker. Nil if no photo waits that it may take.
    ///
    /// - Parameters:
    ///   - takesBackground: whether it may take a background photo.
    ///   - serves: whether the worker serves a model.
    mutating func next(takesBackground: Bool = true, serves: (Key) -> Bool = { _ in true }) -> Turn? {
        let waiting = queues.filter { $0.value.hasNext(takesBackground: takesBackground) }.map(\.key)
        guard let key = turns.order(of: waiting).first(where: serves),
            let entry = queues[key]?.next(takesBackground: takesBackground)
        else { return nil }
        return Turn(key: key, entry: entry, estimate: turns.begin(key))
    }

    /// Records the end of a turn and its duration in seconds.
    mutating func end(_ turn: Turn, seconds: Double) {
        turns.end(turn.key, estimate: turn.estimate, seconds: seconds)
    }
}
