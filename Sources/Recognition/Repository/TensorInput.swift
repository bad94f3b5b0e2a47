import Base
import Dispatch

/// A network compiled once more, for those who bring its input tensor themselves instead of a picture. That is rare, so it
/// is compiled when the first one comes.
final class TensorInput: Sendable {
    private struct State {
        var line: ModelLine?
        var memory = 0
        var isStopped = false
    }

    private let state = Locked(State())
    /// Where the network is compiled. Whoever needs it meanwhile has a place in this queue's line and no thread.
    private let queue = DispatchQueue(label: "models.tensors")
    private let residentMemory: @Sendable () -> Int
    private let make: @Sendable () throws(RecognitionError) -> any InferenceEngine

    /// - Parameters:
    ///   - residentMemory: what the process holds in bytes.
    ///   - make: compiles the network and has it answer once.
    init(
        residentMemory: @escaping @Sendable () -> Int,
        make: @escaping @Sendable () throws(RecognitionError) -> any InferenceEngine
    ) {
        self.residentMemory = residentMemory
        self.make = make
    }

    /// Where tensors go; nil until ``prepare(_:)``.
    var line: ModelLine? { state.withLock { $0.line } }

    /// Bytes that it is reckoned to hold.
    var memory: Int { state.withLock { $0.memory } }

    /// Compiles the network where that was not done. Takes as long as loading the model took; the caller is suspended.
    ///
    /// - Parameter open: makes the line of a network.
    /// - Throws: ``RecognitionError``; the next caller tries again.
    func prepare(
        _ open: @escaping @Sendable (any InferenceEngine) throws(RecognitionError) -> ModelLine
    ) async throws {
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

    /// On ``queue``, so that the network is compiled once.
    private func compile(
        _ open: (any InferenceEngine) throws(RecognitionError) -> ModelLine
    ) throws(RecognitionError) {
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

    /// Blocks until what runs has ended.
    func stop(finishingQueue: Bool) {
        let line = state.withLock { state in
            state.isStopped = true
            return state.line
        }
        line?.stop(finishingQueue: finishingQueue)
    }
}
