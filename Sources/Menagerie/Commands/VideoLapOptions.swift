import ArgumentParser
import Base
import Foundation
import Recognition
import Streams
import Video

struct VideoLapOptions: ParsableArguments {
    @Option(
        name: .long,
        help: "Label for timing laps: one of the detector, whose boxes pass a line, or one of the classifier.")
    var laps: String?

    @Option(
        name: .long,
        help:
            "With --laps: the finishing line, x1,y1,x2,y2 in fractions of the picture. By default the timer chooses.")
    var line: String?

    @Option(
        name: .long,
        help: "Times laps of the object at this point, x,y in fractions of the picture, by its appearance.")
    var point: String?

    @Option(name: .long, help: "With --point: the time of the picture in seconds, 0 to 86400.")
    var pointAt = 0.0

    @Option(name: .long, help: "With --laps: the shortest lap in seconds, 0.1 to 86400.")
    var minimumLap = 3.0

    @Option(name: .long, help: "With --laps: the least share of the object's confidence that counts as seen, 0 to 1.")
    var threshold = 0.1

    @Option(name: .long, help: "With --laps: CSV file for the laps.")
    var lapsCsv: String?

    func validate() throws {
        guard laps != nil || point != nil || (line == nil && lapsCsv == nil) else {
            throw ValidationError("--line and --laps-csv need --laps, which names what is timed, or --point.")
        }
        guard point != nil || pointAt == 0 else { throw ValidationError("--point-at needs --point.") }
        guard (0.1...86_400).contains(minimumLap) else {
            throw ValidationError("--minimum-lap has to be from 0.1 to 86400.")
        }
        guard (0...86_400).contains(pointAt) else { throw ValidationError("--point-at has to be from 0 to 86400.") }
        guard point.map({ LapConfiguration.Point($0) != nil }) ?? true else {
            throw ValidationError("--point has to be x,y: a point in fractions of the picture, such as 0.4,0.6.")
        }
        guard (0...1).contains(threshold) else { throw ValidationError("--threshold has to be from 0 to 1.") }
        guard line.map({ LapConfiguration.Line($0) != nil }) ?? true else {
            throw ValidationError(
                "--line has to be x1,y1,x2,y2: two different points in fractions of the picture, such as 0.5,0,0.5,1.")
        }
    }

    /// The appearance of the object that was pointed at. Nil if no point is given.
    ///
    /// - Throws: `ValidationError` if no object can be recognised at the point, `VideoError`.
    func appearance(in input: CInt, _ analysis: VideoAnalysis) async throws -> ThingAppearance? {
        guard let point = point.flatMap({ LapConfiguration.Point($0) }) else { return nil }
        let appearance = try await analysis.appearance(
            ofThingAt: Tap(id: "", x: point.x, y: point.y), atMilliseconds: Int(clamping: (pointAt * 1000).rounded()),
            of: input,
            label: laps)
        guard let appearance else { throw ValidationError("Nothing can be told apart at --point.") }
        return appearance
    }

    /// The lap timer. Nil if no laps are requested.
    ///
    /// - Parameter appearance: the appearance of the object that was pointed at.
    /// - Throws: `ValidationError` for a label that no model knows, or a line that nothing can cross.
    func timer(
        _ recogniser: Recogniser, model: String?, detects: Bool, appearance: ThingAppearance?
    ) async throws -> VideoLapTimer? {
        let line = line.flatMap { LapConfiguration.Line($0) }
        let configuration = LapConfiguration(
            line: line, minimumMilliseconds: minimumLap * 1000, threshold: threshold)
        if let appearance {
            return VideoLapTimer(label: appearance.label, configuration: configuration, means: .appearance)
        }
        guard let laps else { return nil }
        let models = try await recogniser.frameModels(model, detects: detects)
        guard let means = VideoLapTimer.Means(laps, among: try await recogniser.labels(of: models)) else {
            throw ValidationError("Neither the detector nor the classifier knows “\(laps)”.")
        }
        guard line == nil || means == .boxes else {
            throw ValidationError("The detector does not know “\(laps)”: leave --line out.")
        }
        return VideoLapTimer(label: laps, configuration: configuration, means: means)
    }

    /// Writes lines of RFC 4180. The first line has the names of the columns.
    ///
    /// - Throws: `FileError`.
    func write(_ laps: [Lap]) throws {
        guard let lapsCsv else { return }
        var text = "number,runner,track,label,started_ms,lap_ms,confidence\r\n"
        for lap in laps {
            text += CSVText.line([
                "\(lap.number)", "\(lap.runner)", lap.track.map { "\($0)" } ?? "", lap.label,
                "\(lap.startedMilliseconds)", "\(lap.lapMilliseconds)", "\(lap.confidence)",
            ])
        }
        do {
            try Data(text.utf8).write(to: URL(filePath: lapsCsv), options: .atomic)
        } catch let error as CocoaError {
            throw FileSystem.failure((error.underlying as? POSIXError)?.code.rawValue ?? EIO, lapsCsv)
        }
    }
}
