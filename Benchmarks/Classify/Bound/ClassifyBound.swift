import Base
import Foundation
import Imaging
import Recognition

/// What the photos cost without a service: on each core a loop of decoding and inference, nothing else. No HTTP, no
/// queue, no heads, no JSON, and no photo ever waits.
///
/// `ClassifyBound MODEL THREADS SECONDS PHOTO…` prints one JSON object: photos a second of both together and of each
/// alone, and CPU milliseconds a photo.
@main
struct ClassifyBound {
    enum Part: String, CaseIterable {
        case whole = "photos_per_second"
        case decoding = "decodes_per_second"
        case inference = "inferences_per_second"
    }

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 4, let threads = Int(arguments[2]), let seconds = Double(arguments[3]), threads > 0
        else {
            FileHandle.standardError.write(Data("ClassifyBound MODEL THREADS SECONDS PHOTO…\n".utf8))
            exit(2)
        }
        let photos = try arguments.dropFirst(4).map { Array(try Data(contentsOf: URL(fileURLWithPath: $0))) }
        let folder = arguments[1]
        let manifest = try JSONDecoder().decode(
            ModelManifest.self, from: Data(contentsOf: URL(fileURLWithPath: folder + "/manifest.json")))
        let engine = try OpenVINOEngine(
            weights: .file(path: "\(folder)/\(manifest.file)"), input: manifest.input,
            outputs: manifest.outputs.keys.sorted(),
            options: EngineOptions(precision: manifest.precision ?? .f32, lanes: threads))
        let bench = Bench(photos: photos, engine: engine, input: manifest.input, threads: threads, seconds: seconds)
        var fields: [String] = []
        for part in Part.allCases {
            let (rate, cpu) = try bench.run(part)
            fields.append("\"\(part.rawValue)\": \(String(format: "%.2f", rate))")
            if part == .whole { fields.append("\"cpu_ms_per_photo\": \(String(format: "%.3f", cpu * 1000))") }
        }
        print("{\(fields.joined(separator: ", "))}")
    }
}

/// The loops.
struct Bench: Sendable {
    let photos: [[UInt8]]
    let engine: OpenVINOEngine
    let input: ModelManifest.Input
    let threads: Int
    let seconds: Double

    /// - Returns: photos a second of all threads, and CPU seconds a photo.
    func run(_ part: ClassifyBound.Part) throws -> (rate: Double, cpu: Double) {
        // Caches and clocks first.
        _ = try loops(part, seconds: min(0.5, seconds))
        let before = Self.cpuSeconds()
        let start = ContinuousClock.now
        let count = try loops(part, seconds: seconds)
        let elapsed = (ContinuousClock.now - start).seconds
        return (Double(count) / elapsed, (Self.cpuSeconds() - before) / Double(max(1, count)))
    }

    private func loops(_ part: ClassifyBound.Part, seconds: Double) throws -> Int {
        let counts = Counts()
        let group = DispatchGroup()
        let end = ContinuousClock.now + .seconds(seconds)
        for thread in 0..<threads {
            group.enter()
            Thread.detachNewThread {
                defer { group.leave() }
                do {
                    counts.add(try loop(part, thread: thread, until: end))
                } catch {
                    counts.fail(error)
                }
                ImageDecoder.endThread()
            }
        }
        group.wait()
        return try counts.total()
    }

    private func loop(_ part: ClassifyBound.Part, thread: Int, until end: ContinuousClock.Instant) throws -> Int {
        let decoder = ImageDecoder()
        let request = input.decodeRequest(crop: nil)
        let ready = try decoder.decode(photos[0], request).pixels.bytes
        var done = 0
        while ContinuousClock.now < end {
            let photo = photos[(done * threads + thread) % photos.count]
            let pixels = part == .inference ? ready : try decoder.decode(photo, request).pixels.bytes
            if part != .decoding { _ = try engine.infer(pixels, lane: thread) }
            done += 1
        }
        return done
    }

    private static func cpuSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// What the threads did.
final class Counts: Sendable {
    private struct State {
        var done = 0
        var failure: (any Error)?
    }

    private let state = Locked(State())

    func add(_ count: Int) { state.withLock { $0.done += count } }

    func fail(_ error: any Error) { state.withLock { $0.failure = error } }

    func total() throws -> Int {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            return state.done
        }
    }
}
