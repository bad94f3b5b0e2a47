import Base
import Dispatch

/// The work of loading models: a bounded number at a time, so that a model need not wait for another one and many do not
/// take every thread; of one name one after the other, in order, so that two requests do not load the same.
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
    private let queue = DispatchQueue(label: "models.load", attributes: .concurrent)
    private let state = Locked(State())

    /// - Parameter width: how many models are loaded at a time.
    init(width: Int) {
        self.width = width
    }

    /// Pieces of work that wait.
    var waiting: Int { state.withLock { $0.waiting.count } }

    func async(_ name: String, _ work: @escaping @Sendable () -> Void) {
        state.withLock { $0.waiting.append(Work(name: name, run: work)) }
        startNext()
    }

    /// Blocks until the work is done.
    func sync(_ name: String, _ work: @escaping @Sendable () -> Void) {
        let isDone = DispatchSemaphore(value: 0)
        async(name) {
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
