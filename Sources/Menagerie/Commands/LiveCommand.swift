import API
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
            let analyser = AnalyserOptions(model: pictures.model, detects: pictures.detect, consensus: consensus)
            let analysis = VideoAnalysis(
                recogniser: recogniser,
                options: VideoAnalysis.Options(
                    every: pictures.every, analyser: VideoAddress.isFile(source) ? analyser.forFile : analyser,
                    limits: VideoLimits(settings)))
            let names = try Encyclopaedia.bundled().names(in: pictures.lang)
            try await analysis.watch(source) { event in
                guard case .answer(let answer, let milliseconds) = event else { return }
                let line = try JSONStreamEncoder(keys: .snakeCase).encode(
                    WatchedPicture(answer, at: milliseconds, names))
                try FileHandle.standardOutput.write(contentsOf: Data(line + [UInt8(ascii: "\n")]))
            }
        }
    }
}

/// The answer for one picture of a camera.
private struct WatchedPicture: Encodable {
    let atMs: Int
    let head: String
    let abstained: Bool
    let predictions: [PredictionRepresentation]
    let stable: LiveAnswer.Stable?
    let boxes: [LiveBox]

    init(_ answer: FrameAnswer, at milliseconds: Int, _ names: LabelNames) {
        let classification = answer.classification
        (atMs, head, abstained) = (milliseconds, classification.head, classification.abstained)
        predictions = classification.predictions(3).map { names.prediction($0, head: classification.head) }
        stable = answer.stable.map { LiveAnswer.Stable($0, names: names) }
        boxes = answer.boxes.filter(\.object.isInSight).map { LiveBox($0, individual: nil, names: names) }
    }
}
