/// Requests that wait for models to load. A pure value. The caller must resume each removed waiter.
struct ModelDemands {
    typealias Waiter = CheckedContinuation<LoadedModel, any Error>

    private var waiters: [ModelReference: [UInt64: Waiter]] = [:]
    /// Cancel the loads in progress.
    private var tickets: [ModelReference: LoadTicket] = [:]
    private var lastID: UInt64 = 0

    mutating func newID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// - Returns: whether the caller is the first to demand that model and must start its load.
    mutating func join(_ reference: ModelReference, _ id: UInt64, _ waiter: Waiter) -> Bool {
        let isFirst = waiters[reference] == nil
        waiters[reference, default: [:]][id] = waiter
        return isFirst
    }

    /// - Returns: the waiter, unless it was taken out before. After the last waiter also the ticket to cancel the load.
    mutating func leave(_ reference: ModelReference, _ id: UInt64) -> (Waiter?, LoadTicket?) {
        let waiter = waiters[reference]?.removeValue(forKey: id)
        guard waiter != nil, waiters[reference]?.isEmpty == true else { return (waiter, nil) }
        return (waiter, tickets.removeValue(forKey: reference))
    }

    mutating func begin(_ reference: ModelReference, _ ticket: LoadTicket) { tickets[reference] = ticket }

    /// Whether somebody still waits when the model's load is due. Otherwise the demand ends.
    mutating func isWanted(_ reference: ModelReference) -> Bool {
        if waiters[reference]?.isEmpty == false { return true }
        waiters[reference] = nil
        return false
    }

    /// Takes all waiters out. Later requests must start a new demand.
    mutating func end(_ reference: ModelReference) -> [Waiter] {
        tickets[reference] = nil
        return waiters.removeValue(forKey: reference).map { Array($0.values) } ?? []
    }
}
