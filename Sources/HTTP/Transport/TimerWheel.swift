/// Deadlines of connections, which small integers (their descriptors) identify.
///
/// The wheel is a hash table of linked lists, so setting, moving and cancelling cost the same however many there are.
/// Every request moves a deadline later, which only changes a number. The entry moves when its slot comes up.
struct TimerWheel {
    /// Milliseconds per slot, and so the largest delay of a deadline.
    static let granularity: UInt64 = 32
    private static let slotCount = 512
    private static let none: Int32 = -1

    private struct Entry {
        /// Milliseconds of the loop's clock; 0 if there is no deadline.
        var deadline: UInt64 = 0
        /// The turn of the wheel that looks at the entry.
        var turn: UInt64 = 0
        var next = TimerWheel.none
        var previous = TimerWheel.none
        var isLinked = false
    }

    private var entries: [Entry] = []
    private var heads = [Int32](repeating: TimerWheel.none, count: TimerWheel.slotCount)
    private var linkedCount = 0
    /// The next turn of the wheel.
    private var turn: UInt64
    /// No entry is due before this turn.
    private var earliest = UInt64.max

    init(now: UInt64) {
        turn = now / Self.granularity
    }

    /// - Parameter deadline: milliseconds of the loop's clock.
    mutating func set(_ id: Int, deadline: UInt64) {
        while entries.count <= id { entries.append(Entry()) }
        entries[id].deadline = deadline
        let wanted = wantedTurn(deadline)
        if entries[id].isLinked {
            if entries[id].turn <= wanted { return }
            unlink(id)
        }
        link(id, at: wanted)
    }

    mutating func cancel(_ id: Int) {
        guard id < entries.count else { return }
        entries[id].deadline = 0
    }

    /// Removes the id altogether, because its descriptor is closed.
    mutating func remove(_ id: Int) {
        guard id < entries.count else { return }
        entries[id].deadline = 0
        if entries[id].isLinked { unlink(id) }
    }

    /// Milliseconds until something may be due; nil if no deadline is set.
    func delay(now: UInt64) -> UInt64? {
        guard linkedCount > 0 else { return nil }
        let due = (earliest == .max ? turn : earliest) * Self.granularity
        return due > now ? due - now : 0
    }

    /// Moves the ids whose deadline has passed into `due`.
    mutating func advance(to now: UInt64, into due: inout [Int]) {
        let last = now / Self.granularity
        guard last >= turn else { return }
        guard linkedCount > 0, earliest <= last else {
            turn = max(turn, min(last + 1, earliest))
            return
        }
        // One round looks at every slot, however long the loop slept.
        var current = max(turn, min(earliest, last))
        let end = min(last, current + UInt64(Self.slotCount) - 1)
        turn = last + 1
        while current <= end {
            visit(slot: Int(current % UInt64(Self.slotCount)), upTo: last, now: now, into: &due)
            current += 1
        }
        findEarliest()
    }

    private mutating func visit(slot: Int, upTo last: UInt64, now: UInt64, into due: inout [Int]) {
        var id = heads[slot]
        while id != Self.none {
            let index = Int(id)
            id = entries[index].next
            guard entries[index].turn <= last else { continue }
            unlink(index)
            let deadline = entries[index].deadline
            if deadline == 0 { continue }
            if deadline <= now {
                entries[index].deadline = 0
                due.append(index)
            } else {
                link(index, at: wantedTurn(deadline))
            }
        }
    }

    private func wantedTurn(_ deadline: UInt64) -> UInt64 {
        let wanted = max(deadline / Self.granularity + 1, turn)
        return min(wanted, turn + UInt64(Self.slotCount) - 1)
    }

    private mutating func findEarliest() {
        earliest = .max
        guard linkedCount > 0 else { return }
        for turn in turn..<(turn + UInt64(Self.slotCount)) where heads[Int(turn % UInt64(Self.slotCount))] != Self.none
        {
            earliest = turn
            return
        }
    }

    private mutating func link(_ id: Int, at turn: UInt64) {
        let slot = Int(turn % UInt64(Self.slotCount))
        let next = heads[slot]
        entries[id].turn = turn
        entries[id].isLinked = true
        entries[id].previous = Self.none
        entries[id].next = next
        if next != Self.none { entries[Int(next)].previous = Int32(id) }
        heads[slot] = Int32(id)
        linkedCount += 1
        earliest = min(earliest, turn)
    }

    private mutating func unlink(_ id: Int) {
        let entry = entries[id]
        if entry.previous == Self.none {
            heads[Int(entry.turn % UInt64(Self.slotCount))] = entry.next
        } else {
            entries[Int(entry.previous)].next = entry.next
        }
        if entry.next != Self.none { entries[Int(entry.next)].previous = entry.previous }
        entries[id].isLinked = false
        linkedCount -= 1
    }
}
