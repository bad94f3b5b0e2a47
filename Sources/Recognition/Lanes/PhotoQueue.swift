/// Photos that wait for a worker. A pure value without clock, lock or thread. The owner passes the time in.
struct PhotoQueue<Payload> {
    /// Identifies an entry while it waits. A later entry has a larger one.
    typealias ID = UInt64

    struct Entry {
        let id: ID
        let payload: Payload
        let priority: Priority
        let admitted: ContinuousClock.Instant
        let deadline: ContinuousClock.Instant?
    }

    /// The classes, most urgent first. Entries of a class leave in the order in which they came.
    private enum Class: Int, CaseIterable {
        /// Continues work already begun.
        case begun
        case interactive, bulk, background
    }

    let policy: QueuePolicy
    private var entries = Class.allCases.map { _ in [Entry]() }
    /// The number of interactive entries taken since the last bulk one.
    private var takenSinceBulk = 0

    init(policy: QueuePolicy) { self.policy = policy }

    /// The number of waiting entries.
    var count: Int { entries.reduce(0) { $0 + $1.count } }

    /// The waiting entries by their effect on background work.
    var waiting: BackgroundPace.Waiting {
        BackgroundPace.Waiting(
            interactive: self[.begun].count + self[.interactive].count, bulk: self[.bulk].count,
            backgroundSince: self[.background].first?.admitted)
    }

    private subscript(_ of: Class) -> [Entry] {
        get { entries[of.rawValue] }
        _modify { yield &entries[of.rawValue] }
    }

    /// Adds an entry, or returns false if the queue is full.
    ///
    /// - Parameter isBegun: whether it continues work already begun. It then goes before all others if it is
    ///   interactive.
    mutating func admit(
        _ payload: Payload, id: ID, isBegun: Bool = false, priority: Priority, now: ContinuousClock.Instant,
        deadline: ContinuousClock.Instant? = nil
    ) -> Bool {
        guard count < policy.maximumDepth else { return false }
        let entry = Entry(id: id, payload: payload, priority: priority, admitted: now, deadline: deadline)
        switch priority {
        case .interactive: self[isBegun ? .begun : .interactive].append(entry)
        case .bulk: self[.bulk].append(entry)
        case .background: self[.background].append(entry)
        }
        return true
    }

    /// Removes an entry whose client left. Nil if it is not waiting any more.
    mutating func depart(_ id: ID) -> Payload? {
        for index in entries.indices {
            if let place = entries[index].firstIndex(where: { $0.id == id }) {
                return entries[index].remove(at: place).payload
            }
        }
        return nil
    }

    /// Removes the entries whose deadline has passed.
    mutating func dropExpired(now: ContinuousClock.Instant) -> [Payload] {
        func isExpired(_ entry: Entry) -> Bool { entry.deadline.map { $0 <= now } ?? false }
        guard entries.contains(where: { $0.contains(where: isExpired) }) else { return [] }
        let expired = entries.joined().filter(isExpired).map(\.payload)
        for index in entries.indices { entries[index].removeAll(where: isExpired) }
        return expired
    }

    /// Removes everything, most urgent first.
    mutating func removeAll() -> [Payload] {
        defer { entries = Class.allCases.map { _ in [] } }
        return entries.joined().map(\.payload)
    }

    /// Whether ``next(takesBackground:)`` has an entry.
    func hasNext(takesBackground: Bool) -> Bool {
        count > (takesBackground ? 0 : self[.background].count)
    }

    /// Takes the next entry. Nil if no entry waits that may be taken.
    ///
    /// - Parameter takesBackground: whether a background entry may be taken. It then counts as a bulk one.
    mutating func next(takesBackground: Bool = true) -> Entry? {
        if !self[.begun].isEmpty { return self[.begun].removeFirst() }
        let candidates = takesBackground ? [Class.bulk, .background] : [.bulk]
        let bulk = candidates.filter { !self[$0].isEmpty }.min { self[$0][0].id < self[$1][0].id }
        let bulkIsDue = bulk != nil && takenSinceBulk >= policy.bulkShare - 1
        if !self[.interactive].isEmpty, !bulkIsDue {
            takenSinceBulk = bulk == nil ? 0 : takenSinceBulk + 1
            return self[.interactive].removeFirst()
        }
        guard let bulk else { return nil }
        takenSinceBulk = 0
        return self[bulk].removeFirst()
    }
}

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
