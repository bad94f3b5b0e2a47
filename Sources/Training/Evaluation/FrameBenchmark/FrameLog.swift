import Base
import Foundation

/// The cost of each frame with one model, in the format of the lap timer's log.
package struct FrameLog: Sendable, Equatable {
    package struct Frame: Sendable, Equatable {
        /// Seconds from the frame to its answer.
        package let elapsed: Double
        /// The process's physical memory after the frame, in bytes.
        package let memory: Int
        /// The number of frames that came meanwhile.
        package let dropped: Int
    }

    package let model: String
    package internal(set) var frames: [Frame] = []

    /// CSV (RFC 4180): `elapsed_time` in seconds, `memory_used` in bytes, `frames_dropped`.
    package var csv: String {
        let rows = frames.map { "\(String(format: "%.6f", $0.elapsed)),\($0.memory),\($0.dropped)" }
        return (["elapsed_time,memory_used,frames_dropped"] + rows).joined(separator: "\r\n") + "\r\n"
    }

    /// The nearest-rank percentile of the elapsed times, in seconds. 0 without frames.
    package func percentile(_ percent: Double) -> Double {
        let sorted = frames.map(\.elapsed).sorted()
        let rank = Int(clamping: (percent / 100 * Double(sorted.count)).rounded(.up))
        return sorted.isEmpty ? 0 : sorted[min(max(rank, 1), sorted.count) - 1]
    }

    /// The mean elapsed time in seconds. 0 without frames.
    package var mean: Double {
        frames.isEmpty ? 0 : frames.reduce(0) { $0 + $1.elapsed } / Double(frames.count)
    }

    /// The most memory of the process, in bytes.
    package var peakMemory: Int { frames.map(\.memory).max() ?? 0 }

    package var dropped: Int { frames.reduce(0) { $0 + $1.dropped } }

    /// The share of dropped frames among all that came.
    package var droppedShare: Double {
        frames.isEmpty ? 0 : Double(dropped) / Double(dropped + frames.count)
    }
}
