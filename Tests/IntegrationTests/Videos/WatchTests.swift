import Foundation
import TestSupport
import Testing

/// `menagerie live` with network cameras and files.
@Suite(
    "Watching from the command line", .enabled(if: SharedFolder.isThere && FilmMaker.isThere), .timeLimit(.minutes(5)))
struct WatchTests {
    private typealias Object = [String: any Sendable]

    /// Two seconds of a dog at 30 pictures per second.
    private var film: URL { SharedFolder.url.appending(path: "data/video/dog_running.mp4") }

    private func watch(_ arguments: [String]) async throws -> Program.Result {
        try await Program.menagerie.run(
            ["live"] + arguments,
            environment: [
                "MENAGERIE_RECOGNITION_MODELS_DIRECTORY": LiveService.package.appending(path: "Models").path,
                "MENAGERIE_LOG_LEVEL": "error",
            ])
    }

    private func lines(_ result: Program.Result) throws -> [Object] {
        try result.output.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? Object, "\(line)")
        }
    }

    private func labels(_ line: Object) -> [String] {
        (line["boxes"] as? [Object] ?? []).compactMap { $0["label"] as? String }
    }

    @Test func everyPictureOfAFileThatIsDueIsLookedAt() async throws {
        let result = try await watch([film.path, "--every", "5"])
        #expect(result.status == 0, "\(result.errors)")
        let lines = try lines(result)
        #expect(lines.map { $0["at_ms"] as? Int } == (0..<10).map { $0 * 200 }, "\(result.output)")
        #expect(lines.count { labels($0).contains("dog") } >= 8, "\(result.output)")
    }

    @Test func aCameraOnTheNetworkIsWatchedToItsEnd() async throws {
        let camera = try NetworkCamera(showing: film)
        let result = try await watch([camera.address, "--every", "5"])
        #expect(result.status == 0, "\(result.errors)")
        // The newest picture is analysed even on a slow machine.
        let lines = try lines(result)
        #expect((2...11).contains(lines.count), "\(result.output)")
        #expect(lines.contains { labels($0).contains("dog") }, "\(result.output)")
        let times = lines.compactMap { $0["at_ms"] as? Int }
        #expect(times == times.sorted() && Set(times).count == lines.count && (times.last ?? 0) > 500, "\(times)")
    }

    @Test(arguments: ["rtsp://127.0.0.1:9/none", "/dev/video99", "/none.mp4"]) func whatIsNotThereIsNamed(
        _ source: String
    ) async throws {
        let result = try await watch([source])
        #expect(result.status == 1 && result.output.isEmpty)
        #expect(
            result.errors.hasPrefix("\(source): ") && result.errors.contains("cannot be opened"), "\(result.errors)")
    }
}
