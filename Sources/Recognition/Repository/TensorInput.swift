import Base
import Dispatch

/// A second compilation of a network, for callers that bring its input tensor instead of a picture. Such calls are
/// rare, so it is compiled for the first one.
final class TensorInput: Sendable {
    private struct State {
        var line: ModelLine?
        var memory = 0
        var isStopped = false
    }

    private let state = Locked(State())
    /// The queue that compiles the network. Callers wait for it suspended, without a thread.
    private let queue = DispatchQueue(label: "models.tensors")
    private let residentMemory: @Sendable () -> Int
    private let make: @Sendable () throws(RecognitionError) -> any InferenceEngine

    /// - Parameters:
    ///   - residentMemory: returns the memory of the process in bytes.
    ///   - make: compiles the network and runs it once.
    init(
        residentMemory: @escaping @Sendable () -> Int,
        make: @escaping @Sendable () throws(RecognitionError) -> any InferenceEngine
    ) {
        self.residentMemory = residentMemory
        self.make = make
    }

    /// The line for tensors. Nil until ``prepare(_:)``.
    var line: ModelLine? { state.withLock { $0.line } }

    /// The estimated memory, in bytes.
    var memory: Int { state.withLock { $0.memory } }

    /// Compiles the network unless that is done already. Takes as long as loading the model. The caller is suspended.
    ///
    /// - Parameter open: opens the line of a network.
    /// - Throws: ``RecognitionError``. The next caller tries again.
    func prepare(_ open: @escaping @Sendable (any InferenceEngine) throws(RecognitionError) -> ModelLine) async throws {
        guard line == nil else { return }
        try await withCheckedThrowingContinuation { continuation in
            queue.async {
                do throws(RecognitionError) {
                    try self.compile(open)
                    continuation.resume()
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }

    /// Compiles the network. Runs on ``queue``, so that it happens only once.
    private func compile(_ open: (any InferenceEngine) throws(RecognitionError) -> ModelLine) throws(RecognitionError) {
        guard line == nil else { return }
        let before = residentMemory()
        let line = try open(try make())
        let isKept = state.withLock { state in
            guard !state.isStopped else { return false }
            state.line = line
            state.memory = max(0, residentMemory() - before)
            return true
        }
        guard isKept else {
            line.stop()
            throw .stopped
        }
    }

    /// Blocks until running work has ended.
    func stop(finishingQueue: Bool) {
        let line = state.withLock { state in
            state.isStopped = true
            return state.line
        }
        line?.stop(finishingQueue: finishingQueue)
    }
}
