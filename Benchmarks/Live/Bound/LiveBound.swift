import Base
import Foundation
import Imaging
import Recognition

/// The cost of frames without a service: a loop on each core decodes each frame once, and runs a classifier (of a
/// cascade the networks that it needs) and a detector on it. There is no WebSocket, tracking, voting or JSON, and no
/// frame waits.
///
/// `LiveBound CLASSIFIER DETECTOR THREADS SECONDS FRAME…` takes two folders of models and prints one JSON object: the
/// frames per second of all threads together.
@main
struct LiveBound {
    /// A network with its requests for decoding.
    struct Network: Sendable {
        let engine: any InferenceEngine
        let input: ModelManifest.Input
        let request: DecodeRequest

        init(folder: String, threads: Int) throws {
            let manifest = try JSONDecoder().decode(
                ModelManifest.self, from: Data(contentsOf: URL(fileURLWithPath: folder + "/manifest.json")))
            func network(_ file: String, _ outputs: [String], _ precision: ModelManifest.Precision?) throws
                -> OpenVINOEngine
            {
                try OpenVINOEngine(
                    weights: .file(path: "\(folder)/\(file)"), input: manifest.input, outputs: outputs,
                    options: EngineOptions(precision: precision ?? .f32, lanes: threads))
            }
            let outputs = manifest.detection.map { [$0.output] } ?? manifest.outputTensors
            let first = try network(manifest.file, outputs, manifest.precision)
            if let cascade = manifest.cascade {
                let second = try network(cascade.file, cascade.outputs, cascade.precision)
                var specialists: [String: any InferenceEngine] = [:]
                for (head, rule) in cascade.specialists ?? [:] {
                    specialists[head] = try network(rule.file, [head], rule.precision)
                }
                engine = try CascadeEngine(
                    first: first, second: second, specialists: specialists, manifest: manifest, cascade: cascade)
            } else {
                engine = first
            }
            input = manifest.input
            request = manifest.input.decodeRequest(crop: nil)
        }

        func look(at frame: Frame, lane: Int) throws {
            _ = try engine.infer(input.cut(frame.picture(request).pixels).bytes, lane: lane)
        }
    }

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 5, let threads = Int(arguments[3]), let seconds = Double(arguments[4]), threads > 0
        else {
            FileHandle.standardError.write(Data("LiveBound CLASSIFIER DETECTOR THREADS SECONDS FRAME…\n".utf8))
            exit(2)
        }
        let networks = try [arguments[1], arguments[2]].map { try Network(folder: $0, threads: threads) }
        let frames = try arguments.dropFirst(5).map { Array(try Data(contentsOf: URL(fileURLWithPath: $0))) }
        _ = try run(networks, frames, threads: threads, seconds: min(1, seconds))
        let start = ContinuousClock.now
        let count = try run(networks, frames, threads: threads, seconds: seconds)
        let rate = Double(count) / (ContinuousClock.now - start).seconds
        print(#"{"frames_per_second": \#(String(format: "%.2f", rate)), "threads": \#(threads)}"#)
    }

    private static func run(
        _ networks: [Network], _ frames: [[UInt8]], threads: Int, seconds: Double
    ) throws -> Int {
        let counts = Locked<[Result<Int, any Error>]>([])
        let group = DispatchGroup()
        let end = ContinuousClock.now + .seconds(seconds)
        for thread in 0..<threads {
            group.enter()
            Thread.detachNewThread {
                let result = Result { try loop(networks, frames, thread: thread, until: end) }
                counts.withLock { $0.append(result) }
                ImageSource.endThread()
                group.leave()
            }
        }
        group.wait()
        return try counts.withLock { $0 }.reduce(0) { $0 + (try $1.get()) }
    }

    private static func loop(
        _ networks: [Network], _ frames: [[UInt8]], thread: Int, until end: ContinuousClock.Instant
    ) throws -> Int {
        var done = 0
        while ContinuousClock.now < end {
            let frame = try Frame(frames[(done + thread) % frames.count], for: networks.map(\.request))
            for network in networks { try network.look(at: frame, lane: thread) }
            done += 1
        }
        return done
    }
}
