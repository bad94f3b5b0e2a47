import Base
package import Foundation

/// What a model did since it was loaded, picture by picture.
package final class InferenceStatistics: Sendable {
    /// How often something happened and how long it took in all.
    package struct Tally: Sendable, Equatable {
        package var count = 0
        package var nanoseconds = 0

        package init() {}

        mutating func add(seconds: Double) {
            count += 1
            nanoseconds += Int(clamping: (seconds * 1e9).rounded())
        }
    }

    /// What became of a model's photos, and how long each part of the work took altogether.
    package struct Totals: Sendable {
        /// From submission to answer, decoding included where a photo came as a file.
        package var success = Tally()
        /// Refused, given up, or failed by the engine.
        package var failure = Tally()
        /// Waiting for a lane.
        package var queue = Tally()
        /// Making the network's input of a file.
        package var input = Tally()
        /// In the engine.
        package var inference = Tally()
        /// The same by the number of pictures in the batch.
        package var batches: [Int: Tally] = [:]
        /// Of the last answer; nil before the first.
        package var last: Date?

        /// Times that the engine took a batch up.
        package var executions: Int {
            batches.reduce(0) { $0 + ($1.value.count + $1.key - 1) / max(1, $1.key) }
        }
    }

    private let state = Locked(Totals())

    package var totals: Totals { state.withLock { $0 } }

    /// Counts a photo that was decoded and resized, and how long that took.
    package func decoded(seconds: Double) { state.withLock { $0.input.add(seconds: seconds) } }

    func answered(_ answer: ModelLine.Inference, seconds: Double) {
        state.withLock { totals in
            totals.success.add(seconds: seconds)
            totals.queue.add(seconds: answer.queueSeconds)
            totals.inference.add(seconds: answer.inferenceSeconds)
            totals.batches[answer.batchSize, default: Tally()].add(seconds: answer.inferenceSeconds)
            totals.last = Date()
        }
    }

    func failed(seconds: Double) { state.withLock { $0.failure.add(seconds: seconds) } }
}
