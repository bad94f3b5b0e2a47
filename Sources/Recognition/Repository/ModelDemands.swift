/// Requests that wait, suspended, for models to be loaded. A pure value; whoever takes a waiter out resumes it.
struct ModelDemands {
    typealias Waiter = CheckedContinuation<LoadedModel, any Error>

    private var waiters: [ModelReference: [UInt64: Waiter]] = [:]
    /// By what loads that are under way are ended.
    private var tickets: [ModelReference: LoadTicket] = [:]
    private var lastID: UInt64 = 0

    /// What a request is known by.
    mutating func newID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// - Returns: whether nobody else waits or waited for that model, so that it has to be asked for.
    mutating func join(_ reference: ModelReference, _ id: UInt64, _ waiter: Waiter) -> Bool {
        let isFirst = waiters[reference] == nil
        waiters[reference, default: [:]][id] = waiter
        return isFirst
    }

    /// - Returns: the waiter, unless it was taken out before; and after the last one what ends the load.
    mutating func leave(_ reference: ModelReference, _ id: UInt64) -> (Waiter?, LoadTicket?) {
        let waiter = waiters[reference]?.removeValue(forKey: id)
        guard waiter != nil, waiters[reference]?.isEmpty == true else { return (waiter, nil) }
        return (waiter, tickets.removeValue(forKey: reference))
    }

    /// The load of a model begins.
    mutating func begin(_ reference: ModelReference, _ ticket: LoadTicket) { tickets[reference] = ticket }

    /// Whether someone still waits when the model's turn has come; otherwise the demand has ended.
    mutating func isWanted(_ reference: ModelReference) -> Bool {
        if waiters[reference]?.isEmpty == false { return true }
        waiters[reference] = nil
        return false
    }

    /// Takes all waiters out. Who comes later has to ask again.
    mutating func end(_ reference: ModelReference) -> [Waiter] {
        tickets[reference] = nil
        return waiters.removeValue(forKey: reference).map { Array($0.values) } ?? []
    }
}
