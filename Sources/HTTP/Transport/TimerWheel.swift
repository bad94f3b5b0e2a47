/// Deadlines of connections, which small integers (their descriptors) identify.
///
/// Each slot of the wheel lists the ids that one turn looks at, so setting, moving and cancelling cost the same however
/// many there are. Every request moves a deadline later, which only changes a number. The id moves to another slot when
/// its turn comes.
struct TimerWheel {
    /// Milliseconds per turn, and so the largest delay of a deadline.
    static let granularity: UInt64 = 32
    private static let slotCount: UInt64 = 512
    /// Beyond every turn. It belongs to no slot that is looked at.
    private static let never = UInt64.max

    private struct Entry {
        /// Milliseconds of the loop's clock; 0 if there is no deadline.
        var deadline: UInt64 = 0
        /// The turn that looks at the entry, or `never`.
        var turn = TimerWheel.never
    }

    private var entries: [Entry] = []
    /// An id is out of date where its entry names another turn, because the deadline was moved earlier.
    private var slots = [[Int]](repeating: [], count: Int(slotCount))
    /// The next turn of the wheel.
    private var turn: UInt64
    /// No entry is due before this turn.
    private var earliest = never

    init(now: UInt64) {
        turn = now / Self.granularity
    }

    /// - Parameter deadline: milliseconds of the loop's clock.
    mutating func set(_ id: Int, deadline: UInt64) {
        while entries.count <= id { entries.append(Entry()) }
        entries[id].deadline = deadline
        let wanted = wantedTurn(deadline)
        if wanted < entries[id].turn { plan(id, at: wanted) }
    }

    mutating func cancel(_ id: Int) {
        guard id < entries.count else { return }
        entries[id].deadline = 0
    }

    /// Milliseconds until something may be due; nil if nothing is planned.
    func delay(now: UInt64) -> UInt64? {
        guard earliest != Self.never else { return nil }
        let due = earliest * Self.granularity
        return due > now ? due - now : 0
    }

    /// Moves the ids whose deadline has passed into `due`.
    mutating func advance(to now: UInt64, into due: inout [Int]) {
        let last = now / Self.granularity
        guard last >= turn else { return }
        turn = last + 1
        guard earliest <= last else { return }
        // One round looks at every slot, however long the loop slept.
        for passed in earliest...min(last, earliest + Self.slotCount - 1) {
            visit(passed, now: now, into: &due)
        }
        earliest = (turn..<turn + Self.slotCount).first { !slots[slot(of: $0)].isEmpty } ?? Self.never
    }

    private mutating func visit(_ passed: UInt64, now: UInt64, into due: inout [Int]) {
        let slot = slot(of: passed)
        let ids = slots[slot]
        if ids.isEmpty { return }
        // The slot may list ids of a later round.
        slots[slot] = ids.filter { entries[$0].turn > passed && self.slot(of: entries[$0].turn) == slot }
        for id in ids where entries[id].turn == passed {
            entries[id].turn = Self.never
            let deadline = entries[id].deadline
            if deadline == 0 { continue }
            if deadline <= now {
                entries[id].deadline = 0
                due.append(id)
            } else {
                plan(id, at: wantedTurn(deadline))
            }
        }
    }

    private func slot(of turn: UInt64) -> Int { Int(turn % Self.slotCount) }

    private func wantedTurn(_ deadline: UInt64) -> UInt64 {
        min(max(deadline / Self.granularity + 1, turn), turn + Self.slotCount - 1)
    }

    private mutating func plan(_ id: Int, at turn: UInt64) {
        entries[id].turn = turn
        slots[slot(of: turn)].append(id)
        earliest = min(earliest, turn)
    }
}
