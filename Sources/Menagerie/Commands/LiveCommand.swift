import ArgumentParser
import Base
import Encyclopaedia
import Foundation
import Imaging
import Recognition
import Streams
import Video

/// `menagerie live SOURCE`: prints what a camera sees as JSON lines.
struct LiveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "live", abstract: "Watches a camera and prints what it sees, one JSON object a line.",
        discussion: """
            A camera on the network (rtsp://…, http://…), one of this machine (/dev/video0), or a file. For a camera the \
            newest picture is analysed and older ones are skipped. For a file every due picture is analysed. Ends with \
            the source, or with Ctrl-C.
            """)

    @Argument(help: "rtsp://…, http://…, /dev/videoN, or a file.")
    var source: String

    @OptionGroup var pictures: PictureOptions

    @Option(name: .long, help: "Number of pictures that vote on the answer, 1 to 100.")
    var consensus = 5

    @OptionGroup var options: SettingsOptions

    func validate() throws {
        guard (1...100).contains(consensus) else { throw ValidationError("--consensus has to be from 1 to 100.") }
    }

    func run() async throws {
        try await options.run(source) { settings in
            let recogniser = try await Application.startRecogniser(settings)
            defer { recogniser.stop() }
            let analysis = VideoAnalysis(
                recogniser: recogniser,
                options: VideoAnalysis.Options(
                    every: pictures.every,
                    analyser: AnalyserOptions(
                        model: pictures.model, detects: pictures.detect, consensus: consensus),
                    limits: VideoLimits(settings)))
            let encyclopaedia = try Encyclopaedia.bundled()
            let language = pictures.lang
            _ = try await analysis.watch(source) { event in
                guard case .answer(let answer, let milliseconds) = event else { return }
                let line = try TrackNames.line(
                    LiveLine(answer, at: milliseconds, encyclopaedia: encyclopaedia, language: language))
                try FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
            }
        }
    }
}

/// The answer for one picture of a camera.
private struct LiveLine: Encodable {
    struct Answer: Encodable {
        let label, name: String
        let confidence: Double
    }

    struct Box: Encodable {
        let track: Int
        let label, name: String
        let confidence, x, y, width, height: Double
        let breed, species: Answer?
    }

    let atMs: Int
    let head: String
    let abstained: Bool
    let predictions: [Answer]
    let stable: Answer?
    let boxes: [Box]

    init(_ answer: FrameAnswer, at milliseconds: Int, encyclopaedia: Encyclopaedia, language: Language) {
        func name(_ label: String, _ head: String) -> String {
            encyclopaedia.name(label, from: .head(head), in: language)
        }
        let classification = answer.classification
        atMs = milliseconds
        (head, abstained) = (classification.head, classification.abstained)
        predictions = classification.predictions(3).map {
            Answer(
                label: $0.label, name: name($0.label, classification.head), confidence: $0.confidence.rounded4)
        }
        stable = answer.stable.map {
            Answer(label: $0.label, name: name($0.label, $0.head), confidence: $0.confidence.rounded4)
        }
        func told(_ kind: RegionName.Kind) -> Answer {
            Answer(
                label: kind.prediction.label, name: name(kind.prediction.label, kind.head),
                confidence: kind.prediction.confidence.rounded4)
        }
        boxes = answer.boxes.filter(\.object.isInSight).map { box in
            Box(
                track: box.object.track, label: box.name.label,
                name: encyclopaedia.name(box.name.label, from: .box, in: language),
                confidence: box.name.confidence.rounded4, x: box.region.x.rounded4, y: box.region.y.rounded4,
                width: box.region.width.rounded4, height: box.region.height.rounded4,
                breed: box.name.species == nil ? box.name.kind.map(told) : nil, species: box.name.species.map(told))
        }
    }
}
