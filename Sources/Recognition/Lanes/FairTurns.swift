import Base

/// Chooses the next model when several have waiting photos. Each gets the same share of the workers' time, whatever its
/// photos cost and however many wait. A pure value.
///
/// Start-time fair queueing (Goyal, Vin and Cheng 1996): each model has a clock that advances by its seconds of
/// service. The model whose clock is furthest behind goes next. A model that was idle joins at the others' time.
/// Idleness earns no credit, so no model can catch up by starving the rest.
struct FairTurns<Key: Hashable> {
    private struct Account {
        /// Seconds of service, including estimates.
        var clock = 0.0
        /// Smoothed seconds of a photo. Before the first measurement it is a cautious 10 ms.
        var cost = 0.01
        /// The number of its last turn.
        var lastTurn = 0
    }

    private var accounts: [Key: Account] = [:]
    /// The clock of the last served model at the start of its turn.
    private var time = 0.0
    private var turns = 0

    /// The weight of a new measurement of a model's cost.
    private static var weight: Double { 0.2 }

    /// The waiting models in the order of service. Among equals, the one with the oldest last turn goes first.
    func order(of waiting: [Key]) -> [Key] {
        guard waiting.count > 1 else { return waiting }
        func rank(_ key: Key) -> (Double, Int) {
            let account = accounts[key]
            return (max(account?.clock ?? 0, time), account?.lastTurn ?? 0)
        }
        return waiting.sorted { rank($0) < rank($1) }
    }

    /// Begins a turn and charges its estimate at once, so that other workers see it.
    ///
    /// - Returns: the estimate, for ``end(_:estimate:seconds:)``.
    mutating func begin(_ key: Key) -> Double {
        turns += 1
        var account = accounts[key] ?? Account()
        time = max(account.clock, time)
        account.clock = time + account.cost
        account.lastTurn = turns
        accounts[key] = account
        return account.cost
    }

    /// Ends a turn and replaces its estimate by the measured seconds.
    mutating func end(_ key: Key, estimate: Double, seconds: Double) {
        guard var account = accounts[key] else { return }
        account.clock += seconds - estimate
        account.cost += (max(seconds, 1e-6) - account.cost) * Self.weight
        accounts[key] = account
    }

    /// Removes a model for good.
    mutating func forget(_ key: Key) { accounts[key] = nil }
}
