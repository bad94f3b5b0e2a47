import Base
import Foundation

/// What each frame took with one model, in the form in which the lap timer logged it.
package struct FrameLog: Sendable, Equatable {
    /// One line of the log.
    package struct Frame: Sendable, Equatable {
        /// Seconds from the frame to its answer.
        package let elapsed: Double
        /// Bytes that the process holds in physical memory after the frame.
        package let memory: Int
        /// Frames that came meanwhile.
        package let dropped: Int

        package init(elapsed: Double, memory: Int, dropped: Int) {
            self.elapsed = elapsed
            self.memory = memory
            self.dropped = dropped
        }
    }

    package let model: String
    package internal(set) var frames: [Frame]

    package init(model: String, frames: [Frame] = []) {
        self.model = model
        self.frames = frames
    }

    /// RFC 4180: `elapsed_time` in seconds, `memory_used` in bytes, `frames_dropped`.
    package var csv: String {
        let rows = frames.map { "\(String(format: "%.6f", $0.elapsed)),\($0.memory),\($0.dropped)" }
        return (["elapsed_time,memory_used,frames_dropped"] + rows).joined(separator: "\r\n") + "\r\n"
    }

    /// The smallest elapsed time that so many of a hundred frames do not exceed (nearest rank), in seconds; 0 for none.
    package func percentile(_ percent: Double) -> Double {
        let sorted = frames.map(\.elapsed).sorted()
        let rank = Int(clamping: (percent / 100 * Double(sorted.count)).rounded(.up))
        return sorted.isEmpty ? 0 : sorted[min(max(rank, 1), sorted.count) - 1]
    }

    /// Mean elapsed time in seconds; 0 without frames.
    package var mean: Double {
        frames.isEmpty ? 0 : frames.reduce(0) { $0 + $1.elapsed } / Double(frames.count)
    }

    /// Most bytes that the process held.
    package var peakMemory: Int { frames.map(\.memory).max() ?? 0 }

    /// Frames that were lost.
    package var dropped: Int { frames.reduce(0) { $0 + $1.dropped } }

    /// Lost frames among all that came.
    package var droppedShare: Double {
        frames.isEmpty ? 0 : Double(dropped) / Double(dropped + frames.count)
    }
}
