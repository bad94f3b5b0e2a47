import Base
import Dispatch

/// The work of loading models: a bounded number at a time, so that a model need not wait for another one and many do not
/// take every thread; of one name one after the other, in order, so that two requests do not load the same. What waits is
/// bounded, too.
final class LoadQueue: Sendable {
    private struct Work {
        let name: String
        let run: @Sendable () -> Void
    }

    private struct State {
        var waiting: [Work] = []
        /// Names that are worked on.
        var busy: Set<String> = []
    }

    private let width: Int
    private let maximumWaiting: Int
    private let queue = DispatchQueue(label: "models.load", attributes: .concurrent)
    private let state = Locked(State())

    /// - Parameters:
    ///   - width: how many models are loaded at a time.
    ///   - maximumWaiting: how many more may wait.
    init(width: Int, maximumWaiting: Int = 64) {
        self.width = width
        self.maximumWaiting = maximumWaiting
    }

    /// Pieces of work that wait.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// - Throws: ``RecognitionError/overloaded(retryAfter:)`` where too many wait; the work is then not done.
    func async(_ name: String, _ work: @escaping @Sendable () -> Void) throws(RecognitionError) {
        let isTaken = state.withLock { state in
            guard state.waiting.count < maximumWaiting else { return false }
            state.waiting.append(Work(name: name, run: work))
            return true
        }
        guard isTaken else { throw .overloaded(retryAfter: .seconds(1)) }
        startNext()
    }

    /// Blocks until the work is done.
    ///
    /// - Throws: as ``async(_:_:)``.
    func sync(_ name: String, _ work: @escaping @Sendable () -> Void) throws(RecognitionError) {
        let isDone = DispatchSemaphore(value: 0)
        try async(name) {
            work()
            isDone.signal()
        }
        isDone.wait()
    }

    /// Starts what may start: whatever comes or ends makes room for one.
    private func startNext() {
        let next = state.withLock { state -> Work? in
            guard state.busy.count < width,
                let index = state.waiting.firstIndex(where: { !state.busy.contains($0.name) })
            else { return nil }
            let work = state.waiting.remove(at: index)
            state.busy.insert(work.name)
            return work
        }
        guard let next else { return }
        queue.async {
            next.run()
            self.state.withLock { _ = $0.busy.remove(next.name) }
            self.startNext()
        }
    }
}
