import ArgumentParser
import Encyclopaedia
import Foundation
import Live
import Logging
import Recognition
import Telemetry
import Video

/// `menagerie video FILE`: what a video shows, without a server.
struct VideoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "video", abstract: "Looks through a video and prints the animals and objects that it follows.",
        discussion: """
            MP4, MOV, WebM, MKV, AVI, GIF and others. With --out it also writes an MP4 with the boxes and names drawn and \
            the sound kept. Decoders run in a process of their own that can do nothing else.
            """)

    @Argument(help: "The video.")
    var file: String

    @Option(name: .long, help: "Where to write the video with the boxes drawn, an MP4.")
    var out: String?

    @Option(name: .long, help: "Pictures a second that are looked at, 0.01 to 120.")
    var every = 10.0

    @Option(name: .long, help: "Model, as name or name@version.")
    var model: String?

    @Option(name: .long, help: "Language of names: en or fi.")
    var lang = "en"

    @Flag(name: .long, inversion: .prefixedNo, help: "Whether boxes are searched for and followed.")
    var detect = true

    @Flag(name: .long, help: "One JSON object instead of text, with the place of each box.")
    var json = false

    @OptionGroup var options: SettingsOptions

    func validate() throws {
        guard (0.01...120).contains(every) else { throw ValidationError("--every has to be from 0.01 to 120.") }
        guard Language(rawValue: lang) != nil else { throw ValidationError("--lang has to be en or fi.") }
    }

    func run() async throws {
        let settings = try options.load()
        let writer = LoggingSystem.bootstrap(settings)
        defer { writer.flush() }
        do {
            try await look(settings)
        } catch {
            FileHandle.standardError.write(Data("\(file): \(error)\n".utf8))
            throw ExitCode.failure
        }
    }

    private func look(_ settings: Settings) async throws {
        guard let input = FileHandle(forReadingAtPath: file) else { throw VideoError.system("it cannot be opened") }
        let limits = VideoLimits(settings)
        // What is no video is told before models are loaded.
        let info = try await VideoReader.probe(input.fileDescriptor, limits: limits, program: .current)
        let recogniser = try await Application.startRecogniser(settings, observer: NoObserver())
        defer { recogniser.stop() }
        let analysis = VideoAnalysis(
            recogniser: recogniser,
            options: VideoAnalysis.Options(
                every: every, analyser: AnalyserOptions(model: model, detects: detect, patience: .seconds(300)),
                limits: limits))
        let total = Int((info.duration ?? 0) * 1000)
        let bar = VideoProgressBar(total: total, unit: "ms looked at")
        let findings = try await analysis.run(input.fileDescriptor) { event in
            if case .progress(let milliseconds, _) = event { bar.show(milliseconds) }
        }
        bar.finish()
        let names = TrackNames(
            encyclopaedia: try Encyclopaedia.bundled(), language: Language(rawValue: lang) ?? .english)
        if let out { try await draw(findings, input.fileDescriptor, names, total, limits, to: out) }
        for warning in findings.ending.warnings { FileHandle.standardError.write(Data("\(file): \(warning)\n".utf8)) }
        print(json ? try names.json(findings, info) : names.text(findings))
    }

    /// The file has its name once it is whole.
    private func draw(
        _ findings: VideoFindings, _ input: CInt, _ names: TrackNames, _ total: Int, _ limits: VideoLimits,
        to path: String
    ) async throws {
        let partial = path + ".partial"
        guard FileManager.default.createFile(atPath: partial, contents: nil),
            let output = FileHandle(forUpdatingAtPath: partial)
        else { throw VideoError.system("\(path) cannot be written") }
        do {
            let bar = VideoProgressBar(total: total, unit: "ms written")
            let drawing = findings.drawing(interval: Int((1000 / every).rounded(.up)), text: names.title)
            let ending = try await AnnotatedFile.write(
                drawing, of: input, to: output.fileDescriptor, limits: limits, program: .current,
                progress: { bar.show(Int($0 / 1000)) })
            bar.finish()
            for warning in ending.warnings { FileHandle.standardError.write(Data("\(path): \(warning)\n".utf8)) }
            guard rename(partial, path) == 0 else { throw VideoError.system("\(path) cannot be written") }
        } catch {
            try? FileManager.default.removeItem(atPath: partial)
            throw error
        }
    }
}

/// A ``ProgressBar`` that may be shown from any task.
///
/// `@unchecked Sendable` holds because one task at a time shows it: whoever looks through a video tells of one picture
/// after the other.
final class VideoProgressBar: @unchecked Sendable {
    private let bar: ProgressBar

    init(total: Int, unit: String) {
        bar = ProgressBar(total: total, unit: unit)
    }

    func show(_ done: Int) { bar.show(done) }
    func finish() { bar.finish() }
}

extension VideoLimits {
    init(_ settings: Settings) {
        self.init(
            pixels: settings[Settings.videoMaxPixels], duration: settings[Settings.videoMaxDuration],
            memory: settings[Settings.videoWorkerMemory] << 20, processorTime: settings[Settings.videoWorkerTime],
            patience: settings[Settings.videoPatience])
    }
}

/// What tracks are called in one language, for the command line.
struct TrackNames: Sendable {
    let encyclopaedia: Encyclopaedia
    let language: Language

    /// `Dog: Petit Brabançon 93.1%`
    func title(_ track: VideoFindings.Track) -> String {
        let name = encyclopaedia.name(track.label, from: .box, in: language)
        guard let breed = track.breeds.first else { return "\(name) \(Self.percent(track.best.confidence))" }
        let breedName = encyclopaedia.name(breed.label, from: .head(track.label + "s"), in: language)
        return "\(name): \(breedName) \(Self.percent(breed.confidence))"
    }

    func text(_ findings: VideoFindings) -> String {
        let scenes = findings.scenes.map { scene in
            "\(Self.time(scene.first))–\(Self.time(scene.last))  "
                + "\(encyclopaedia.name(scene.label, from: .head(scene.head), in: language)) \(Self.percent(scene.confidence))"
        }
        let tracks = findings.tracks.map {
            "\(Self.time($0.first))–\(Self.time($0.last))  #\($0.track) \(title($0))"
        }
        let lines = tracks + scenes
        return lines.isEmpty ? "Nothing was recognised." : lines.joined(separator: "\n")
    }

    func json(_ findings: VideoFindings, _ info: VideoInfo) throws -> String {
        struct Item: Encodable {
            let track: Int
            let label, name: String
            let firstMs, lastMs: Int
            let best: Best
            let breed: Breed?
            let boxes: [Box]
        }
        struct Best: Encodable {
            let atMs: Int
            let confidence: Double
        }
        struct Breed: Encodable {
            let label, name: String
            let confidence: Double
        }
        struct Box: Encodable {
            let atMs: Int
            let x, y, width, height, confidence: Double
        }
        struct Scene: Encodable {
            let label, name, head: String
            let firstMs, lastMs: Int
            let confidence: Double
        }
        struct Document: Encodable {
            let durationS: Double?
            let width, height, framesLooked: Int
            let items: [Item]
            let scenes: [Scene]
        }
        let items = findings.tracks.map { track in
            Item(
                track: track.track, label: track.label, name: encyclopaedia.name(track.label, from: .box, in: language),
                firstMs: track.first, lastMs: track.last,
                best: Best(atMs: track.best.milliseconds, confidence: track.best.confidence),
                breed: track.breeds.first.map {
                    Breed(
                        label: $0.label,
                        name: encyclopaedia.name($0.label, from: .head(track.label + "s"), in: language),
                        confidence: $0.confidence)
                },
                boxes: track.boxes.map {
                    Box(
                        atMs: $0.milliseconds, x: $0.x, y: $0.y, width: $0.width, height: $0.height,
                        confidence: $0.confidence)
                })
        }
        let scenes = findings.scenes.map {
            Scene(
                label: $0.label, name: encyclopaedia.name($0.label, from: .head($0.head), in: language), head: $0.head,
                firstMs: $0.first, lastMs: $0.last, confidence: $0.confidence)
        }
        return try Self.line(
            Document(
                durationS: info.duration, width: info.width, height: info.height, framesLooked: findings.looked,
                items: items, scenes: scenes))
    }

    static func line(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private static func percent(_ share: Double) -> String {
        let tenths = Int((min(max(share, 0), 1) * 1000).rounded())
        return "\(tenths / 10).\(tenths % 10)%"
    }

    /// `1:02.5`
    private static func time(_ milliseconds: Int) -> String {
        let tenths = milliseconds / 100
        let seconds = tenths / 10 % 60
        return "\(tenths / 600):\(seconds < 10 ? "0" : "")\(seconds).\(tenths % 10)"
    }
}
