import Base
import Foundation
import Imaging
import Recognition
import Streams
import Video

/// Watches one camera until its task is cancelled, or a film until its end. It connects, analyses pictures while
/// something moves, and reconnects.
struct CameraWatcher: Sendable {
    /// The resources that all cameras share.
    struct Tools: Sendable {
        var recogniser: Recogniser
        var limits: VideoLimits
        var identifier: Identifier
        /// The first and the longest pause between two attempts to connect, in seconds.
        var backOff: ClosedRange<Double>
        /// The folder of films that may replace cameras.
        var files: String?
    }

    /// The longer side of the analysed pictures, in pixels.
    private static let side = 960
    /// A connection that lasted this long resets the pause.
    private static let steady = Duration.seconds(30)

    let camera: Camera
    let tools: Tools
    let report: @Sendable (CameraReport) -> Void
    /// Receives the sightings of a picture. The watcher waits for it.
    let change: @Sendable (SightingTracker.Change) async -> Void

    func run() async {
        var delay = tools.backOff.lowerBound
        while !Task.isCancelled {
            let begin = ContinuousClock.now
            report(.state(.connecting, problem: nil))
            do {
                try await watch()
                if isFilm { return }
                report(.state(.away, problem: "the camera ended its stream"))
            } catch {
                if Task.isCancelled { return }
                report(.state(.away, problem: Self.reason(error)))
            }
            if ContinuousClock.now - begin > Self.steady { delay = tools.backOff.lowerBound }
            try? await Task.sleep(for: .seconds(delay * Double.random(in: 0.8...1.2)))
            delay = min(delay * 2, tools.backOff.upperBound)
        }
    }

    private var isFilm: Bool {
        if case .file = CameraAddress(camera.url, files: tools.files) { true } else { false }
    }

    private static func reason(_ error: any Error) -> String {
        if case .stalled(let seconds)? = error as? VideoError {
            return "the camera has shown no picture for \(Int(clamping: seconds)) s"
        }
        return String("\(error)".prefix(300))
    }

    /// Watches one connection, from its first picture to its last.
    private func watch() async throws {
        let analyser = FrameAnalyser(
            recogniser: tools.recogniser, options: AnalyserOptions(priority: .bulk, patience: .seconds(5)))
        var tracker = SightingTracker(camera: camera)
        do {
            switch CameraAddress(camera.url, files: tools.files) {
            case .file(let path): try await watchFilm(path, analyser, &tracker)
            case .network(let address), .device(let address): try await watchStream(address, analyser, &tracker)
            case nil: throw VideoError.unreachable("The address is not allowed (any more).")
            }
        } catch {
            await end(&tracker)
            throw error
        }
        await end(&tracker)
    }

    /// Ends the visits under way.
    private func end(_ tracker: inout SightingTracker) async {
        await change(SightingTracker.Change(left: tracker.end()))
    }

    /// Analyses every picture of a film, as fast as possible.
    private func watchFilm(_ path: String, _ analyser: FrameAnalyser, _ tracker: inout SightingTracker) async throws {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw VideoError.unreachable("There is no film of that name.")
        }
        defer { try? file.close() }
        let reader = try await VideoReader.open(order(nil), program: .current, input: file.fileDescriptor)
        defer { reader.cancel() }
        report(.state(.watching, problem: nil))
        let begin = Date()
        while true {
            switch try await reader.next() {
            case .frame(let frame):
                let date = begin.addingTimeInterval(Double(frame.time) / 1_000_000)
                try await analyse(frame, takenAt: date, analyser, &tracker)
            case .progress: continue
            case .end: return
            }
        }
    }

    /// Analyses the newest picture of a stream whenever there is time, so that sightings are never old.
    private func watchStream(
        _ address: String, _ analyser: FrameAnalyser, _ tracker: inout SightingTracker
    ) async throws {
        let reader = try await VideoReader.open(order(address), program: .current, input: nil)
        defer { reader.cancel() }
        report(.state(.watching, problem: nil))
        for try await frame in reader.newestFrames(missed: { report(.missed) }) {
            // The camera's clock drifts, and the machine's may be set while a stream lasts for weeks.
            try await analyse(frame, takenAt: Date(), analyser, &tracker)
        }
        try Task.checkCancellation()
    }

    private func order(_ address: String?) -> WorkerOrder {
        WorkerOrder(
            command: .watch(every: camera.looksPerSecond, side: Self.side, ignoring: camera.ignored),
            address: address, limits: tools.limits, threads: 1)
    }

    private func analyse(
        _ frame: VideoFrame, takenAt date: Date, _ analyser: FrameAnalyser, _ tracker: inout SightingTracker
    ) async throws {
        report(.picture(frame.picture))
        // Without motion and without an animal there is nothing to analyse.
        guard frame.isLively || tracker.isOccupied else { return }
        let milliseconds = Double(frame.time) / 1000
        do {
            let answer = try await analyser.analyse(.pixels(frame.picture), atMilliseconds: milliseconds)
            let animals = SeenAnimal.all(in: answer, ignoring: camera.ignored, individual: tools.identifier.individual)
            let found = tracker.update(animals, in: frame.picture, atMilliseconds: milliseconds, date: date)
            report(.looked)
            await change(found)
        } catch RecognitionError.overloaded, RecognitionError.deadlineExceeded {
            // Interactive requests go first.
            report(.missed)
        }
    }
}
