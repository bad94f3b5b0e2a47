import Base
import Foundation
import Imaging
import Recognition

/// The cost of photos without a service: a loop of decoding and inference on each core. There is no HTTP, queue, answer
/// or JSON, and no photo waits.
///
/// `ClassifyBound MODEL THREADS SECONDS PHOTO…` prints one JSON object. It has the photos per second and the CPU
/// milliseconds per photo for: decoding and inference together (`whole`, with the other networks of a cascade for
/// the photos that need them), decoding and the first stage, decoding alone, and inference alone. It also has the share of
/// photos that need other networks.
@main
struct ClassifyBound {
    enum Part: String, CaseIterable {
        case whole, decoding, inference
        case firstStage = "first_stage"
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
        func engine(_ file: String, _ outputs: [String], _ precision: ModelManifest.Precision?) throws -> OpenVINOEngine
        {
            try OpenVINOEngine(
                weights: .file(path: "\(folder)/\(file)"), input: manifest.input, outputs: outputs,
                options: EngineOptions(precision: precision ?? .f32, lanes: threads))
        }
        let first = try engine(manifest.file, manifest.outputTensors, manifest.precision)
        let cascade = try manifest.cascade.map { cascade in
            var specialists: [String: any InferenceEngine] = [:]
            for (head, rule) in cascade.specialists ?? [:] {
                specialists[head] = try engine(rule.file, [head], rule.precision)
            }
            return try CascadeEngine(
                first: first, second: try engine(cascade.file, cascade.outputs, cascade.precision),
                specialists: specialists, manifest: manifest, cascade: cascade)
        }
        let bench = Bench(
            photos: photos, engine: cascade ?? first, first: first, input: manifest.input, threads: threads,
            seconds: seconds)
        var fields: [String] = []
        for part in Part.allCases {
            let (rate, cpu) = try bench.run(part)
            let numbers = String(format: "{\"photos_per_second\": %.2f, \"cpu_ms_per_photo\": %.3f}", rate, cpu * 1000)
            fields.append("\"\(part.rawValue)\": \(numbers)")
        }
        fields.append(String(format: "\"second_stage_share\": %.4f", try bench.secondStageShare()))
        print("{\(fields.joined(separator: ", "))}")
    }
}

struct Bench: Sendable {
    let photos: [[UInt8]]
    let engine: any InferenceEngine
    /// The first stage of a cascade, otherwise the engine.
    let first: any InferenceEngine
    let input: ModelManifest.Input
    let threads: Int
    let seconds: Double

    /// - Returns: the photos per second of all threads, and the CPU seconds per photo.
    func run(_ part: ClassifyBound.Part) throws -> (rate: Double, cpu: Double) {
        // A short run fills caches and raises clock rates first.
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
                ImageSource.endThread()
            }
        }
        group.wait()
        return try counts.total()
    }

    private func loop(_ part: ClassifyBound.Part, thread: Int, until end: ContinuousClock.Instant) throws -> Int {
        let request = input.decodeRequest(crop: nil)
        let ready = part == .inference ? try photos.map { try ImageSource($0).pixels(request).bytes } : []
        var done = 0
        while ContinuousClock.now < end {
            let number = (done * threads + thread) % photos.count
            let pixels = part == .inference ? ready[number] : try ImageSource(photos[number]).pixels(request).bytes
            switch part {
            case .whole, .inference: _ = try engine.infer(pixels, lane: thread)
            case .firstStage: _ = try first.infer(pixels, lane: thread)
            case .decoding: break
            }
            done += 1
        }
        return done
    }

    /// The share of photos that need the second stage, 0…1.
    func secondStageShare() throws -> Double {
        let request = input.decodeRequest(crop: nil)
        let asked = try photos.count {
            try engine.infer(ImageSource($0).pixels(request).bytes, lane: 0).secondStage != nil
        }
        return Double(asked) / Double(photos.count)
    }

    private static func cpuSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

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
