import Base

/// How many closer looks a stream may take: a bucket that fills with time and that each look takes from what it cost.
///
/// A live stream pays in milliseconds, so that looks take a fixed share of one processor whatever it is and whoever else wants
/// it: where the machine is busy a look takes longer, and there are fewer. A file pays in looks a frame, so that its answer
/// does not depend on the machine. A pure value.
struct LookBudget: Sendable {
    /// Share of the time, and milliseconds that may be saved up.
    private static let live = (share: 0.15, saved: 300.0)
    /// Looks a frame, and looks that may be saved up.
    private static let file = (share: 0.8, saved: 8.0)
    /// What a look is thought to cost before one was taken, in milliseconds.
    private static let firstCost = 15.0

    private let isLive: Bool
    private var saved: Double
    private var cost: Double
    private var last: Double?

    init(isLive: Bool) {
        self.isLive = isLive
        saved = isLive ? Self.live.saved : Self.file.saved
        cost = isLive ? Self.firstCost : 1
    }

    /// Lets a frame come.
    mutating func advance(toMilliseconds now: Double) {
        if isLive {
            saved = min(Self.live.saved, saved + Self.live.share * max(0, now - (last ?? now)))
        } else if last.map({ now > $0 }) ?? true {
            saved = min(Self.file.saved, saved + Self.file.share)
        }
        last = max(now, last ?? now)
    }

    /// Looks that can be paid for now.
    var affordable: Int { max(0, Int(clamping: saved / max(cost, 0.1))) }

    /// - Parameter milliseconds: that all of them took.
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
