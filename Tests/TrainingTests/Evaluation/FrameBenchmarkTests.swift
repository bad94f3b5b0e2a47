import Base
import Foundation
import Recognition
import TestSupport
import Testing
@testable import Training

@Suite struct DroppedFramesTests {
    @Test func `frames that come during the work are dropped`() {
        // Frames come every 100 ms.
        let benchmark = FrameBenchmark(frames: 1, rate: 10)
        #expect(benchmark.dropped(in: 0) == 0)
        #expect(benchmark.dropped(in: 0.05) == 0)
        // The next frame arrives as the work ends.
        #expect(benchmark.dropped(in: 0.1) == 0)
        #expect(benchmark.dropped(in: 0.25) == 2)
        #expect(benchmark.dropped(in: 0.3) == 2)
    }
}

@Suite struct FrameLogTests {
    let log = FrameLog(
        model: "m",
        frames: [(0.01, 100, 0), (0.04, 300, 1), (0.02, 200, 0), (0.03, 200, 2)].map {
            .init(elapsed: $0.0, memory: $0.1 * 1_000_000, dropped: $0.2)
        })

    @Test func `is CSV as the lap timer wrote it`() {
        #expect(log.csv.hasPrefix("elapsed_time,memory_used,frames_dropped\r\n0.010000,100000000,0\r\n0.040000,"))
        #expect(log.csv.split(separator: "\r\n").count == 5)
    }

    @Test func `is summed up`() {
        #expect(abs(log.mean - 0.025) < 1e-12)
        #expect(log.percentile(50) == 0.02 && log.percentile(75) == 0.03)
        #expect(log.percentile(99) == 0.04 && log.percentile(0) == 0.01)
        #expect(log.peakMemory == 300_000_000 && log.dropped == 3)
        #expect(abs(log.droppedShare - 3.0 / 7) < 1e-12)
        let empty = FrameLog(model: "none")
        #expect(empty.mean == 0 && empty.percentile(50) == 0 && empty.droppedShare == 0)
    }

    @Test func `the summary has a row and a line for each model`() {
        let summary = FrameSummary(logs: [log, FrameLog(model: "<b&w>", frames: log.frames)], rate: 30)
        #expect(summary.table.contains("| m | 4 | 25.0 | 20.0 | 40.0 | 40.0 | 40 | 3 (42.9 %) | 300 |"))
        #expect(summary.elapsedPlot.svg.split(separator: "<polyline").count == 3)
        #expect(summary.elapsedPlot.svg.contains("&lt;b&amp;w&gt;"))
        #expect(summary.elapsedPlot.limit == .init(name: "30 frames/s", value: 1000.0 / 30))
        #expect(summary.memoryPlot.series[0].values == [100, 300, 200, 200])
        #expect(summary.droppedPlot.bars.map { ($0.value * 10).rounded() } == [429, 429])
    }
}

@Suite struct PlotTests {
    static let axes: [(maximum: Double, ticks: [Double])] = [
        (0, [0, 1]), (1, [0, 0.2, 0.4, 0.6, 0.8, 1]), (7, [0, 2, 4, 6, 8]), (33.3, [0, 10, 20, 30, 40]),
        (480, [0, 100, 200, 300, 400, 500]),
    ]

    @Test(arguments: axes)
    func `axes have round numbers`(maximum: Double, ticks: [Double]) {
        let found = AxisTicks.upTo(maximum)
        #expect(found.count == ticks.count && zip(found, ticks).allSatisfy { abs($0 - $1) < 1e-9 }, "\(found)")
    }

    @Test func `lines are drawn to scale and well formed`() throws {
        let plot = LinePlot(
            title: "t", xLabel: "x", yLabel: "y", series: [.init(name: "a", values: [0, 5, 10])],
            limit: .init(name: "half", value: 5))
        // The plot's area has 500 × 310 pixels from (60, 40). The values are 0, 5 and 10 of 10 at its left, middle and
        // right.
        #expect(plot.svg.contains("points=\"60,350 310,195 560,40\""))
        #expect(plot.svg.contains("y1=\"195\" x2=\"560\" y2=\"195\" stroke=\"#555555\""))
        for svg in [plot.svg, LinePlot(title: "", xLabel: "", yLabel: "", series: []).svg, bars.svg] {
            let document = try #require(svg.data(using: .utf8))
            #expect(document.count > 200 && svg.hasSuffix("</svg>\n"))
            #expect(!svg.contains("nan") && !svg.contains("inf"))
        }
    }

    @Test func `a line of two values has no numbers between them on its axis`() {
        let svg = LinePlot(title: "", xLabel: "", yLabel: "", series: [.init(name: "a", values: [0, 50])]).svg
        #expect(svg.contains(">1<") && !svg.contains(">0.2<"))
    }

    @Test func `a combining mark does not hide a character of XML`() {
        let svg = LinePlot(title: "a<\u{338} &\u{301}", xLabel: "", yLabel: "", series: []).svg
        #expect(Data(svg.utf8).firstRange(of: Data("a&lt;\u{338} &amp;\u{301}".utf8)) != nil)
    }

    let bars = BarPlot(title: "t", unit: "%", bars: [.init(name: "a", value: 50), .init(name: "b", value: 100)])

    @Test func `bars are drawn to scale`() {
        #expect(bars.svg.contains("width=\"220\" height=\"20\"") && bars.svg.contains("width=\"440\" height=\"20\""))
        #expect(bars.svg.contains(">50 %<") && bars.svg.contains(">100 %<"))
    }
}

@Suite(.timeLimit(.minutes(2))) struct FrameBenchmarkTests {
    static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized

    @Test func `every frame of a real model is logged`() async throws {
        var options = RecogniserOptions(modelsDirectory: Self.package.appending(path: "Models").path, cores: 1)
        options.engine.cacheDirectory = CompiledModels.folder
        let recogniser = try Recogniser(options: options)
        defer { recogniser.stop() }
        let files = PhotoFolder.files(in: Self.package.appending(path: "Tests/Photos"), limit: 1)
        #expect(files.count == 1)
        let photo = Array(try Data(contentsOf: try #require(files.first)))
        let log = try await FrameBenchmark(frames: 5, rate: 1e6, warmUp: 1)
            .run(recogniser, model: "menagerie", photos: [photo])
        #expect(log.frames.count == 5 && log.model == "menagerie")
        // At a million frames per second each frame loses as many as its time covers.
        #expect(log.frames.allSatisfy { $0.elapsed > 0 && $0.memory > 10_000_000 })
        #expect(log.frames.allSatisfy { abs(Double($0.dropped) - $0.elapsed * 1e6) <= 1 })
        #expect(PhotoFolder.files(in: URL(filePath: "/nowhere"), limit: 3).isEmpty)
    }
}
