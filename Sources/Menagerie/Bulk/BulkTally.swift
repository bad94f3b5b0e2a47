import Base
import Foundation

/// The results of the photos of a run, and their cost.
struct BulkTally: CustomStringConvertible {
    /// The number of photos that earlier runs have done.
    let before: Int
    private let start = ContinuousClock.now
    private let processorTime = Self.processorTime
    /// The number of photos done by this run.
    private(set) var done = 0
    /// The number of photos that could not be classified, including those of earlier runs.
    private(set) var failures: Int

    mutating func count(isFailure: Bool) {
        done += 1
        if isFailure { failures += 1 }
    }

    /// `990 photos classified, 10 failed; 400 of them in earlier runs; 48.1 photos/s, 41.5 ms of processor time each`
    var description: String {
        var text = "\(counted(before + done - failures, "photo")) classified, \(failures) failed"
        if before > 0 { text += "; \(before) of them in earlier runs" }
        guard done > 0 else { return text }
        let rate = Double(done) / ((ContinuousClock.now - start) / .seconds(1))
        let milliseconds = (Self.processorTime - processorTime) * 1000 / Double(done)
        return text + String(format: "; %.1f photos/s, %.1f ms of processor time each", rate, milliseconds)
    }

    /// The processor time of the process so far, in seconds.
    private static var processorTime: Double { Double(KernelClock.ofProcess) / 1e9 }
}
