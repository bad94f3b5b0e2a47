import API
import ArgumentParser
import Base
import Encyclopaedia
import Foundation
import Recognition
import Streams
import Video

/// `menagerie video FILE`: prints what a video shows, without a server.
struct VideoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "video", abstract: "Analyses a video and prints the animals and objects in it.",
        discussion: """
            MP4, MOV, WebM, MKV, AVI, GIF and others. With --out it also writes an MP4 with the boxes and names drawn and \
            the sound kept. Decoders run in an isolated process.
            """)

    @Argument(help: "The video.")
    var file: String

    @Option(name: .long, help: "File for the video with drawn boxes, an MP4.")
    var out: String?

    @OptionGroup var pictures: PictureOptions

    @Flag(name: .long, help: "Prints one JSON object with the position of each box, instead of text.")
    var json = false

    @OptionGroup var timing: VideoLapOptions

    @OptionGroup var options: SettingsOptions

    func validate() throws {
        let location = { (path: String) in URL(fileURLWithPath: path).resolvingSymlinksInPath().path }
        let written = [out, out.map(Self.partial), timing.lapsCsv].compactMap { $0.map(location) }
        guard !written.contains(location(file)) else {
            throw ValidationError("--out and --laps-csv would overwrite \(file): name other files.")
        }
        guard Set(written).count == written.count else {
            throw ValidationError("--out and --laps-csv name the same file: name two.")
        }
        try checkReplaceable(out, of: "--out")
        try checkReplaceable(timing.lapsCsv, of: "--laps-csv")
        for path in [out, timing.lapsCsv].compactMap(\.self) {
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            guard FileSystem.isDirectory(folder) else {
                throw ValidationError("There is no folder \(folder) for \(path).")
            }
        }
    }

    func run() async throws {
        try await options.run(file) { settings in try await analyse(settings) }
    }

    var analyser: AnalyserOptions { AnalyserOptions(model: pictures.model, detects: pictures.detect).forFile }

    private func analyse(_ settings: Settings) async throws {
        let input = try FileHandle.reading(file)
        guard lseek(input.fileDescriptor, 0, SEEK_CUR) >= 0 else {
            throw SettingsError("It is a pipe, and a video has to be a file: save it first.")
        }
        let limits = VideoLimits(settings)
        // An invalid video is reported before models are loaded.
        let info = try await VideoReader.probe(input.fileDescriptor, limits: limits, program: .current)
        let recogniser = try await Application.startRecogniser(settings)
        defer { recogniser.stop() }
        var options = VideoAnalysis.Options(
            every: pictures.every, analyser: analyser, limits: limits)
        options.pointed = try await timing.appearance(
            in: input.fileDescriptor, VideoAnalysis(recogniser: recogniser, options: options))
        let laps = try await timing.timer(
            recogniser, model: pictures.model, detects: pictures.detect, appearance: options.pointed)
        let timer = Locked(laps)
        let analysis = VideoAnalysis(recogniser: recogniser, options: options)
        let total = Int(clamping: (info.duration ?? 0) * 1000)
        let bar = ProgressBar(unit: "ms looked at")
        let findings = try await analysis.run(input.fileDescriptor) { event in
            switch event {
            case .progress(let milliseconds, _): bar.show(milliseconds, of: total)
            case .answer(let answer, let milliseconds): timer.withLock { $0?.add(answer, at: milliseconds) }
            case .info, .track: break
            }
        }
        bar.finish()
        let names = try Encyclopaedia.bundled().names(in: pictures.lang)
        if let out { try await draw(findings, input.fileDescriptor, names, total, limits, to: out) }
        for warning in findings.warnings(detects: pictures.detect) + findings.ending.warnings {
            printError("\(file): \(warning.detail)")
        }
        let timed = timer.withLock { $0 }.map { $0.laps(findings).laps }
        if json {
            let video = AnalysedVideo(findings, info.read(to: findings.ending), laps: timed, names)
            print(String(decoding: try JSONStreamEncoder(keys: .snakeCase).encode(video), as: UTF8.self))
        } else {
            print(names.text(findings, laps: timed))
        }
        if let timed { try timing.write(timed) }
    }

    /// The name of a file until it is complete.
    private static func partial(_ path: String) -> String { path + ".partial" }

    /// The file gets its name when it is complete.
    private func draw(
        _ findings: VideoFindings, _ input: CInt, _ names: LabelNames, _ total: Int, _ limits: VideoLimits,
        to path: String
    ) async throws {
        let partial = Self.partial(path)
        guard FileManager.default.createFile(atPath: partial, contents: nil),
            let output = FileHandle(forUpdatingAtPath: partial)
        else { throw VideoError.system("\(path) cannot be written") }
        do {
            let bar = ProgressBar(unit: "ms written")
            let interval = Int(clamping: (1000 / pictures.every).rounded(.up))
            let drawing = findings.drawing(interval: interval, text: names.title)
            let ending = try await AnnotatedFile.write(
                drawing, of: input, to: output.fileDescriptor, limits: limits, program: .current,
                progress: { bar.show(Int($0 / 1000), of: total) })
            bar.finish()
            for warning in ending.warnings { printError("\(path): \(warning.detail)") }
            guard rename(partial, path) == 0 else { throw VideoError.system("\(path) cannot be written") }
        } catch {
            try? FileManager.default.removeItem(atPath: partial)
            throw error
        }
    }
}

/// The options of the commands that analyse moving pictures.
struct PictureOptions: ParsableArguments {
    @Option(name: .long, help: "Analysed pictures per second, 0.01 to 120.")
    var every = 10.0

    @Option(name: .long, help: "Model, as name or name@version.")
    var model: String?

    @Option(name: .long, help: "Language of names: en or fi.")
    var lang = Language.english

    @Flag(name: .long, inversion: .prefixedNo, help: "Whether a detector finds boxes, which are then tracked.")
    var detect = true

    func validate() throws {
        guard (0.01...120).contains(every) else { throw ValidationError("--every has to be from 0.01 to 120.") }
    }
}

extension VideoLimits {
    init(_ settings: Settings) {
        self = .standard
        pixels = settings[Settings.videoMaxPixels]
        duration = settings[Settings.videoMaxDuration]
        memory = settings[Settings.videoWorkerMemory] << 20
        processorTime = settings[Settings.videoWorkerTime]
        patience = settings[Settings.videoPatience]
        sandbox = Sandbox.Demand(rawValue: settings[Settings.videoSandbox]) ?? .best
    }
}

/// The answer for a video.
private struct AnalysedVideo: Encodable {
    let durationS: Double?
    let width, height, framesLooked: Int
    let items: [VideoTrackRepresentation]
    let scenes: [VideoSceneRepresentation]
    let laps: [LapRepresentation]?

    /// - Parameter laps: nil if no laps were requested.
    init(_ findings: VideoFindings, _ info: VideoInfo, laps: [Lap]?, _ names: LabelNames) {
        (durationS, width, height, framesLooked) = (info.duration, info.width, info.height, findings.looked)
        items = findings.tracks.map { VideoTrackRepresentation($0, names: names, video: nil, withBoxes: true) }
        scenes = findings.scenes.map { VideoSceneRepresentation($0, names: names) }
        self.laps = laps?.map { LapRepresentation($0, session: nil, name: names.lapName($0.label), hasPhoto: false) }
    }
}
