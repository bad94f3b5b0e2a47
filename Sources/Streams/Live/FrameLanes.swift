import Base

/// The number of frames that a stream may process at a time: as many as the machine has cores if it is alone, otherwise
/// its share of them, and at least one.
package final class FrameLanes: Sendable {
    private let count: Int
    /// The number of streams that are processing frames.
    private let busy = Locked(0)

    package init(count: Int) { self.count = count }

    /// The number of frames for a stream that is itself processing.
    var share: Int {
        let streams = max(1, busy.withLock { $0 })
        return max(1, (count + streams - 1) / streams)
    }

    /// Counts a stream that begins to process frames.
    func enter() { busy.withLock { $0 += 1 } }

    /// Stops counting a stream that has no frame in process.
    func leave() { busy.withLock { $0 -= 1 } }
}
