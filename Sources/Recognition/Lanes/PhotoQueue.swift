/// Photos that wait for a worker. A pure value without clock, lock or thread. The owner passes the time in.
struct PhotoQueue<Payload> {
    /// Identifies an entry while it waits.
    typealias ID = UInt64

    struct Entry {
        let id: ID
        let payload: Payload
        let admitted: ContinuousClock.Instant
        let deadline: ContinuousClock.Instant?
    }

    let policy: QueuePolicy
    /// Entries that continue work already begun. They go before all others.
    private var begun: [Entry] = []
    private var interactive: [Entry] = []
    private var bulk: [Entry] = []
    /// The number of interactive entries taken since the last bulk one.
    private var takenSinceBulk = 0

    init(policy: QueuePolicy) {
        self.policy = policy
    }

    /// The number of waiting entries.
    var count: Int { begun.count + interactive.count + bulk.count }

    /// Adds an entry, or returns false if the queue is full.
    ///
    /// - Parameter isBegun: whether it continues work already begun. It then goes before all others, unless it is bulk.
    mutating func admit(
        _ payload: Payload, id: ID, isBegun: Bool = false, priority: Priority, now: ContinuousClock.Instant,
        deadline: ContinuousClock.Instant? = nil
    ) -> Bool {
        guard count < policy.maximumDepth else { return false }
        let entry = Entry(id: id, payload: payload, admitted: now, deadline: deadline)
        switch priority {
        case .interactive where isBegun: begun.append(entry)
        case .interactive: interactive.append(entry)
        case .bulk: bulk.append(entry)
        }
        return true
    }

    /// Removes an entry whose client left. Nil if it is not waiting any more.
    mutating func depart(_ id: ID) -> Payload? {
        if let index = begun.firstIndex(where: { $0.id == id }) { return begun.remove(at: index).payload }
        if let index = interactive.firstIndex(where: { $0.id == id }) { return interactive.remove(at: index).payload }
        if let index = bulk.firstIndex(where: { $0.id == id }) { return bulk.remove(at: index).payload }
        return nil
    }

    /// Removes the entries whose deadline has passed.
    mutating func dropExpired(now: ContinuousClock.Instant) -> [Payload] {
        func isExpired(_ entry: Entry) -> Bool { entry.deadline.map { $0 <= now } ?? false }
        let all = [begun, interactive, bulk]
        guard all.contains(where: { $0.contains(where: isExpired) }) else { return [] }
        let expired = all.joined().filter(isExpired).map(\.payload)
        begun.removeAll(where: isExpired)
        interactive.removeAll(where: isExpired)
        bulk.removeAll(where: isExpired)
        return expired
    }

    /// Removes everything, most urgent first.
    mutating func removeAll() -> [Payload] {
        defer { (begun, interactive, bulk) = ([], [], []) }
        return (begun + interactive + bulk).map(\.payload)
    }

    /// Takes the next entry. Nil if the queue is empty.
    mutating func next() -> Entry? {
        if !begun.isEmpty { return begun.removeFirst() }
        let bulkIsDue = !bulk.isEmpty && takenSinceBulk >= policy.bulkShare - 1
        if !interactive.isEmpty, !bulkIsDue {
            takenSinceBulk = bulk.isEmpty ? 0 : takenSinceBulk + 1
            return interactive.removeFirst()
        }
        guard !bulk.isEmpty else { return nil }
        takenSinceBulk = 0
        return bulk.removeFirst()
    }
}
