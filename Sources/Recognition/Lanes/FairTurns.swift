import Base

/// Whose turn it is when several models have photos waiting, so that each gets the same share of the workers' time,
/// whatever its photos cost and however many wait. A pure value.
///
/// Start-time fair queueing (Goyal, Vin and Cheng 1996): each model has a clock that runs by the seconds it was served;
/// the one whose clock is furthest behind goes next. A model that had nothing to do joins at the others' time: idleness
/// earns no credit, so nobody can catch up by starving the rest.
struct FairTurns<Key: Hashable> {
    private struct Account {
        /// Seconds of service, estimates included.
        var clock = 0.0
        /// Smoothed seconds a photo; before the first measurement a cautious 10 ms.
        var cost = 0.01
        /// Number of the turn it had last.
        var lastTurn = 0
    }

    private var accounts: [Key: Account] = [:]
    /// The clock of the one that was served last, when its turn began.
    private var time = 0.0
    private var turns = 0

    /// Weight of a new measurement of a model's cost.
    private static var weight: Double { 0.2 }

    /// Those that wait, in the order in which they are to be served; among equals the one whose turn is longest ago.
    func order(of waiting: [Key]) -> [Key] {
        guard waiting.count > 1 else { return waiting }
        func rank(_ key: Key) -> (Double, Int) {
            let account = accounts[key]
            return (max(account?.clock ?? 0, time), account?.lastTurn ?? 0)
        }
        return waiting.sorted { rank($0) < rank($1) }
    }

    /// Photos that fit in a turn of so many seconds, at least one.
    func photos(of key: Key, within seconds: Double) -> Int {
        max(1, Int(clamping: seconds / (accounts[key] ?? Account()).cost))
    }

    /// A turn begins and is paid for by estimate, so that other workers see it.
    ///
    /// - Returns: the estimate, for ``end(_:photos:estimate:seconds:)``.
    mutating func begin(_ key: Key, photos: Int) -> Double {
        turns += 1
        var account = accounts[key] ?? Account()
        time = max(account.clock, time)
        let estimate = account.cost * Double(photos)
        account.clock = time + estimate
        account.lastTurn = turns
        accounts[key] = account
        return estimate
    }

    /// A turn has ended and took so many seconds.
    mutating func end(_ key: Key, photos: Int, estimate: Double, seconds: Double) {
        guard var account = accounts[key] else { return }
        account.clock += seconds - estimate
        account.cost += (max(seconds, 1e-6) / Double(max(1, photos)) - account.cost) * Self.weight
        accounts[key] = account
    }

    /// Drops a model that is gone for good.
    mutating func forget(_ key: Key) { accounts[key] = nil }
}
