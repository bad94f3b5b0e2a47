import Base
package import Foundation

/// The counts and times of a model since it was loaded, for each picture.
package final class InferenceStatistics: Sendable {
    /// The number of events and their total duration.
    package struct Tally: Sendable, Equatable {
        package var count = 0
        package var nanoseconds = 0

        package init() {}

        mutating func add(seconds: Double) {
            count += 1
            nanoseconds += Int(clamping: (seconds * 1e9).rounded())
        }
    }

    /// The results for a model's photos, and the total time of each part of the work.
    package struct Totals: Sendable {
        /// Answered photos, from submission to answer. Decoding is included if a photo came as a file.
        package var success = Tally()
        /// Photos that were refused, given up, or failed by the engine.
        package var failure = Tally()
        package var queue = Tally()
        /// The conversion of files to the network's input.
        package var input = Tally()
        package var inference = Tally()
        /// The time of the last answer. Nil before the first.
        package var last: Date?
    }

    private let state = Locked(Totals())

    package var totals: Totals { state.withLock { $0 } }

    /// Counts a decoded and resized photo.
    package func decoded(seconds: Double) { state.withLock { $0.input.add(seconds: seconds) } }

    func answered(_ answer: ModelLine.Inference, seconds: Double) {
        state.withLock { totals in
            totals.success.add(seconds: seconds)
            totals.queue.add(seconds: answer.queueSeconds)
            totals.inference.add(seconds: answer.inferenceSeconds)
            totals.last = Date()
        }
    }

    func failed(seconds: Double) { state.withLock { $0.failure.add(seconds: seconds) } }
}
