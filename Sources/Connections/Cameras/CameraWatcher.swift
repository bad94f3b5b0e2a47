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
    private let start = ContinuousClock.now

    func run() async {
        var tracker = SightingTracker(camera: camera)
        await connect(&tracker)
        await change(SightingTracker.Change(left: tracker.end()))
    }

    /// Connects again and again. An animal that is still there after a short interruption is on the same visit.
    private func connect(_ tracker: inout SightingTracker) async {
        var delay = tools.backOff.lowerBound
        while !Task.isCancelled {
            let begin = ContinuousClock.now
            report(.state(.connecting, problem: nil))
            do {
                try await watch(&tracker)
                if isFilm { return }
                report(.state(.away, problem: "the camera ended its stream"))
            } catch {
                if Task.isCancelled { return }
                report(.state(.away, problem: Self.reason(error)))
            }
            let left = isFilm ? tracker.end() : tracker.disconnect(atMilliseconds: milliseconds(at: .now))
            await change(SightingTracker.Change(left: left))
            if ContinuousClock.now - begin > Self.steady { delay = tools.backOff.lowerBound }
            try? await Task.sleep(for: .seconds(delay * Double.random(in: 0.8...1.2)))
            delay = min(delay * 2, tools.backOff.upperBound)
        }
    }

    /// The time of sightings. The camera's own clock may jump, and begins anew with each connection.
    private func milliseconds(at moment: ContinuousClock.Instant) -> Double { (moment - start) / .milliseconds(1) }

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
    private func watch(_ tracker: inout SightingTracker) async throws {
        let analyser = FrameAnalyser(
            recogniser: tools.recogniser, options: AnalyserOptions(priority: .bulk, patience: .seconds(5)))
        switch CameraAddress(camera.url, files: tools.files) {
        case .file(let path): try await watchFilm(path, analyser, &tracker)
        case .network(let address), .device(let address): try await watchStream(address, analyser, &tracker)
        case nil: throw VideoError.unreachable("The address is not allowed (any more).")
        }
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
        let begin = ContinuousClock.now
        var isOwed = false
        while true {
            switch try await reader.next() {
            case .frame(let frame):
                try await analyse(frame, takenAt: begin + .microseconds(frame.time), analyser, &tracker, &isOwed)
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
        await change(SightingTracker.Change(left: tracker.connect(atMilliseconds: milliseconds(at: .now))))
        var isOwed = false
        for try await frame in reader.newestFrames(missed: { report(.missed) }) {
            try await analyse(frame, takenAt: .now, analyser, &tracker, &isOwed)
        }
        try Task.checkCancellation()
    }

    private func order(_ address: String?) -> WorkerOrder {
        WorkerOrder(
            command: .watch(every: camera.looksPerSecond, side: Self.side, ignoring: camera.ignored),
            address: address, limits: tools.limits, threads: 1)
    }

    /// - Parameter isOwed: whether a picture in which something moved could not be analysed, and none has been since.
    private func analyse(
        _ frame: VideoFrame, takenAt moment: ContinuousClock.Instant, _ analyser: FrameAnalyser,
        _ tracker: inout SightingTracker, _ isOwed: inout Bool
    ) async throws {
        report(.picture(frame.picture))
        // Without motion and without an animal there is nothing to analyse.
        guard frame.isLively || isOwed || tracker.isOccupied else { return }
        // The machine's clock may be set while a stream lasts for weeks.
        let date = Date().addingTimeInterval((moment - .now) / .seconds(1))
        do {
            let answer = try await analyser.analyse(
                .pixels(frame.picture), atMilliseconds: Double(frame.time) / 1000)
            let animals = SeenAnimal.all(in: answer, ignoring: camera.ignored, individual: tools.identifier.individual)
            let found = tracker.update(
                animals, in: frame.picture, atMilliseconds: milliseconds(at: moment), date: date)
            isOwed = false
            report(.looked)
            await change(found)
        } catch RecognitionError.overloaded, RecognitionError.deadlineExceeded {
            // Interactive requests go first.
            isOwed = true
            report(.missed)
        }
    }
}
