import Base
import Foundation

/// The logs of several models side by side.
package struct FrameSummary: Sendable {
    package let logs: [FrameLog]
    /// The camera's frames a second.
    package let rate: Double

    package init(logs: [FrameLog], rate: Double) {
        self.logs = logs
        self.rate = rate
    }

    /// One row for each model. Times are in milliseconds, memory in MB (10⁶ bytes).
    package var table: String {
        let header = [
            "| model | frames | mean ms | p50 ms | p95 ms | p99 ms | frames/s | dropped at \(Self.plain(rate))/s | memory MB |",
            "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
        ]
        let rows = logs.map { log in
            let times = [log.mean, log.percentile(50), log.percentile(95), log.percentile(99)].map {
                String(format: "%.1f", $0 * 1000)
            }
            let share = String(format: "%.1f", log.droppedShare * 100)
            let pace = log.mean > 0 ? String(format: "%.0f", 1 / log.mean) : "–"
            return "| \(log.model) | \(log.frames.count) | \(times.joined(separator: " | ")) | \(pace) | "
                + "\(log.dropped) (\(share) %) | \(log.peakMemory / 1_000_000) |"
        }
        return (header + rows).joined(separator: "\n") + "\n"
    }

    /// The milliseconds of every frame, with the time between two frames as a limit.
    package var elapsedPlot: LinePlot {
        LinePlot(
            title: "Time per frame", xLabel: "frame", yLabel: "ms",
            series: logs.map { .init(name: $0.model, values: $0.frames.map { $0.elapsed * 1000 }) },
            limit: .init(name: "\(Self.plain(rate)) frames/s", value: 1000 / rate))
    }

    /// The process's memory after every frame.
    package var memoryPlot: LinePlot {
        LinePlot(
            title: "Memory used", xLabel: "frame", yLabel: "MB",
            series: logs.map { .init(name: $0.model, values: $0.frames.map { Double($0.memory) / 1e6 }) })
    }

    package var droppedPlot: BarPlot {
        BarPlot(
            title: "Frames dropped at \(Self.plain(rate)) frames/s", unit: "%",
            bars: logs.map { .init(name: $0.model, value: $0.droppedShare * 100) })
    }

    private static func plain(_ value: Double) -> String {
        value == value.rounded() ? String(Int(clamping: value)) : String(value)
    }
}
