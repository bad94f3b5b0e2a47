import Base
import Dispatch

/// Runs the loading of models, a bounded number at a time, so that models load in parallel without taking every thread.
/// Loads of one name run in order, so that two requests do not load the same model. The number of waiting loads is
/// bounded, too.
final class LoadQueue: Sendable {
    private struct Work {
        let name: String
        let run: @Sendable () -> Void
    }

    private struct State {
        var waiting: [Work] = []
        /// The names in work.
        var busy: Set<String> = []
    }

    private let width: Int
    private let maximumWaiting: Int
    private let queue = DispatchQueue(label: "models.load", attributes: .concurrent)
    private let state = Locked(State())

    /// - Parameters:
    ///   - width: the most models loaded at a time.
    ///   - maximumWaiting: the most loads that wait.
    init(width: Int, maximumWaiting: Int = 64) {
        self.width = width
        self.maximumWaiting = maximumWaiting
    }

    var waiting: Int { state.withLock { $0.waiting.count } }

    /// - Throws: ``RecognitionError/overloaded(retryAfter:)`` if too many wait. The work is then not done.
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
    /// - Throws: like ``async(_:_:)``.
    func sync(_ name: String, _ work: @escaping @Sendable () -> Void) throws(RecognitionError) {
        let isDone = DispatchSemaphore(value: 0)
        try async(name) {
            work()
            isDone.signal()
        }
        isDone.wait()
    }

    /// Starts a waiting load if possible. Every new or finished load calls it.
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
