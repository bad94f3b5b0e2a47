import Base

/// How many frames a stream may have in work: as many as the machine has cores where it is alone, and its share of them
/// beside others; one at least.
final class FrameLanes: Sendable {
    private let count: Int
    /// Streams that have a frame in work.
    private let busy = Locked(0)

    init(count: Int) {
        self.count = count
    }

    /// Frames that a stream which is busy itself may have in work.
    var share: Int {
        let streams = max(1, busy.withLock { $0 })
        return max(1, (count + streams - 1) / streams)
    }

    /// A stream has a frame in work.
    func enter() { busy.withLock { $0 += 1 } }

    /// The stream has no frame under way any more.
    func leave() { busy.withLock { $0 -= 1 } }
}
