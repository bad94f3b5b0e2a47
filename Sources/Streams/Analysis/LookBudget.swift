import Base

/// Limits how many crops a stream classifies. It is a bucket that fills with time; each crop takes its cost from it.
///
/// A live stream pays in milliseconds of processor time, so that crops take a fixed share of one core. On a busy
/// machine each crop takes longer, so fewer are classified. A file pays in crops per frame, so that its result does not
/// depend on the machine. A pure value.
struct LookBudget: Sendable {
    /// The share of the time for crops, and the most milliseconds that can be saved.
    private static let live = (share: 0.15, saved: 300.0)
    /// The crops per frame, and the most crops that can be saved.
    private static let file = (share: 0.8, saved: 8.0)
    /// The assumed cost of a crop before the first measurement, in milliseconds.
    private static let firstCost = 15.0

    let isLive: Bool
    private var saved: Double
    private var cost: Double
    private var last: Double?

    init(isLive: Bool) {
        self.isLive = isLive
        saved = isLive ? Self.live.saved : Self.file.saved
        cost = isLive ? Self.firstCost : 1
    }

    /// Fills the bucket for the time since the last frame.
    mutating func advance(toMilliseconds now: Double) {
        if isLive {
            saved = min(Self.live.saved, saved + Self.live.share * max(0, now - (last ?? now)))
        } else if last.map({ now > $0 }) ?? true {
            saved = min(Self.file.saved, saved + Self.file.share)
        }
        last = max(now, last ?? now)
    }

    /// The number of crops that the saved amount pays for.
    var affordable: Int { max(0, Int(clamping: saved / max(cost, 0.1))) }

    /// - Parameter milliseconds: the time that all these crops took together.
    mutating func pay(for looks: Int, milliseconds: Double) {
        guard looks > 0 else { return }
        if isLive {
            cost += 0.3 * (milliseconds / Double(looks) - cost)
            saved -= milliseconds
        } else {
            saved -= Double(looks)
        }
    }
}
