import Base
import Encyclopaedia
import HTTP
import Recognition
import Streams
import Video

/// The parameters for timing laps in a video: `laps`, `line`, `minimum_lap_s` and `threshold`, and `point` and `point_s`
/// for a thing that the user points at.
struct VideoLaps: Codable, Sendable {
    let label: String
    let means: VideoLapTimer.Means
    let configuration: LapConfiguration
    /// A thing that is recognised by its appearance; nil if the label says what is timed.
    let pointed: Pointed?
    /// The id of the lap timer that gets the laps when the video is done. It is chosen before, so that a second attempt
    /// makes no second timer.
    let session: ULID

    /// The place and the time at which the user points at a thing.
    struct Pointed: Codable, Sendable {
        let point: LapConfiguration.Point
        /// The time in the video.
        let milliseconds: Int
        /// Whether the laps get the label of the request; otherwise they get the thing's name.
        let isNamed: Bool
    }

    private static let others = ["line", "minimum_lap_s", "threshold", "point_s"]
    /// The largest number of labels in a problem.
    private static let shown = 12

    /// Reads the parameters; nil if no laps are requested.
    ///
    /// - Throws: `ProblemDetails` (400) that names the parameter.
    init?(_ reader: inout QueryReader) throws {
        let label = try reader.text("laps")
        let line = try reader.text("line").map(Self.line)
        let minimum = try reader.number("minimum_lap_s", in: 0.1...86_400, default: 3)
        let threshold = try reader.number("threshold", in: 0...1, default: 0.1)
        let point = try reader.text("point").map(Self.point)
        let seconds = try reader.number("point_s", in: 0...86_400, default: 0)
        if point == nil, reader.has("point_s") {
            throw ProblemDetails.invalidParameter(
                "point_s", value: reader.value("point_s"), expected: "given together with point, at that time")
        }
        guard let label = label ?? point.map({ _ in ThingAppearance.nameless }) else {
            if let other = Self.others.first(where: { reader.has($0) }) {
                throw ProblemDetails.invalidParameter(
                    other, value: reader.value(other), expected: "given together with laps, which names what is timed")
            }
            return nil
        }
        guard (1...200).contains(label.utf8.count) else {
            throw ProblemDetails.invalidParameter("laps", value: label, expected: "a label of 1 to 200 bytes")
        }
        self.label = label
        means = point == nil ? .boxes : .appearance
        pointed = point.map {
            Pointed(point: $0, milliseconds: Int(clamping: (seconds * 1000).rounded()), isNamed: reader.has("laps"))
        }
        configuration = LapConfiguration(
            label: label, line: line, minimumMilliseconds: minimum * 1000, threshold: threshold)
        session = ULID.next()
    }

    private init(_ wanted: VideoLaps, means: VideoLapTimer.Means) {
        (label, configuration, session) = (wanted.label, wanted.configuration, wanted.session)
        (self.means, pointed) = (means, wanted.pointed)
    }

    /// Chooses boxes if the detector knows the label, otherwise classification.
    ///
    /// - Throws: `ProblemDetails` (400) if neither knows it, or for a line, which only boxes can pass.
    func decided(by labels: FrameLabels) throws -> VideoLaps {
        if pointed != nil { return self }
        guard let means = VideoLapTimer.Means(label, among: labels) else {
            throw ProblemDetails.invalidParameter(
                "laps", value: label,
                expected: "a label of the detector or the classifier, such as "
                    + Self.list(labels.boxes.isEmpty ? labels.heads : labels.boxes))
        }
        if means == .boxes { return VideoLaps(self, means: means) }
        guard configuration.line == nil else {
            let reason =
                labels.boxes.isEmpty
                ? "left out where nothing is searched for boxes"
                : "left out for “\(label)”, which the detector does not know; it knows \(Self.list(labels.boxes))"
            throw ProblemDetails.invalidParameter("line", value: "given", expected: reason)
        }
        return VideoLaps(self, means: means)
    }

    /// - Parameter appearance: the appearance of the thing that the user points at.
    func timer(of appearance: ThingAppearance?) -> VideoLapTimer {
        VideoLapTimer(label: appearance?.label ?? label, configuration: configuration, means: means)
    }

    private static func list(_ labels: Set<String>) -> String {
        labels.sorted().prefix(shown).joined(separator: ", ") + (labels.count > shown ? " …" : "")
    }

    private static func point(_ text: String) throws -> LapConfiguration.Point {
        guard let point = LapConfiguration.Point(text) else {
            throw ProblemDetails.invalidParameter(
                "point", value: text, expected: "x,y: a point in fractions of the picture, such as 0.4,0.6")
        }
        return point
    }

    private static func line(_ text: String) throws -> LapConfiguration.Line {
        guard let line = LapConfiguration.Line(text) else {
            throw ProblemDetails.invalidParameter(
                "line", value: text,
                expected: "x1,y1,x2,y2: two different points in fractions of the picture, such as 0.5,0,0.5,1")
        }
        return line
    }
}

/// The laps of a video in the HTTP interface.
struct VideoLapsRepresentation: Encodable {
    /// The lap timer that gets the laps when the video is done; absent if there was no room for another timer.
    let id: String?
    let label: String
    let name: String
    /// `boxes`, `classification`, or `look` for a thing that the user points at.
    let by: String
    /// The event that closed the laps, `line` or `sight`; absent if none was closed.
    let counting: String?
    let line: [[Double]]?
    let minimumLapS: Double
    let threshold: Double
    /// The laps as they were timed, in their order. Deleting one in the lap timer does not change this list.
    let laps: [LapRepresentation]
    /// The time of the shortest lap.
    let bestMs: Double?
    let url: String?
    let exportUrl: String?

    /// - Parameters:
    ///   - counting: the event that closed the laps; nil if none was closed.
    ///   - isKept: whether a lap timer has the laps, or gets them when the video is done.
    init(
        _ wanted: VideoLaps, _ laps: [Lap], counting: LapCounting?, photos: Set<Int>, isKept: Bool, names: LabelNames
    ) {
        id = isKept ? wanted.session.description : nil
        label = laps.first?.label ?? wanted.label
        let name = names.lapName(label, from: wanted.means == .boxes ? .box : .unknown)
        self.name = name
        by = wanted.means.rawValue
        self.counting = counting?.rawValue
        line = wanted.configuration.line.map { [[$0.from.x, $0.from.y], [$0.to.x, $0.to.y]] }
        minimumLapS = wanted.configuration.minimumMilliseconds / 1000
        threshold = wanted.configuration.threshold
        self.laps = laps.map {
            LapRepresentation($0, session: wanted.session, name: name, hasPhoto: photos.contains($0.number))
        }
        bestMs = self.laps.map(\.lapMs).min()
        url = id.map { "/laps/\($0)" }
        exportUrl = url.map { $0 + "/export?format=csv" }
    }
}
