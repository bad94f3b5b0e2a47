import Base
import Encyclopaedia
import HTTP
import Recognition
import Streams
import Video

/// Reads the parameters for timing laps in a video: `laps`, `line`, `minimum_lap_s` and `threshold`. The parameters
/// `point` and `point_s` are for a thing that the user points at.
extension VideoLaps {
    private static let others = ["line", "minimum_lap_s", "threshold", "point_s"]
    /// The largest number of labels in a problem.
    private static let shown = 12

    /// Reads the parameters; nil if no laps are requested.
    ///
    /// - Throws: `ProblemDetails` (400) that names the parameter.
    init?(_ reader: inout QueryReader) throws {
        let label = try reader.text("laps")
        let line = try reader.value(
            "line", "x1,y1,x2,y2: two different points in fractions of the picture, such as 0.5,0,0.5,1",
            LapConfiguration.Line.init)
        let minimum = try reader.number("minimum_lap_s", in: 0.1...86_400) ?? 3
        let threshold = try reader.number("threshold", in: 0...1) ?? 0.1
        let point = try reader.value(
            "point", "x,y: a point in fractions of the picture, such as 0.4,0.6", LapConfiguration.Point.init)
        let seconds = try reader.number("point_s", in: 0...86_400) ?? 0
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
        let pointed = point.map {
            Pointed(point: $0, milliseconds: Int(clamping: (seconds * 1000).rounded()), isNamed: reader.has("laps"))
        }
        self.init(
            label: label, means: point == nil ? .boxes : .appearance,
            configuration: LapConfiguration(
                label: label, line: line, minimumMilliseconds: minimum * 1000, threshold: threshold),
            pointed: pointed)
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
        guard means == .boxes || configuration.line == nil else {
            let reason =
                labels.boxes.isEmpty
                ? "left out where nothing is searched for boxes"
                : "left out for “\(label)”, which the detector does not know; it knows \(Self.list(labels.boxes))"
            throw ProblemDetails.invalidParameter("line", value: "given", expected: reason)
        }
        var laps = self
        laps.means = means
        return laps
    }

    private static func list(_ labels: Set<String>) -> String {
        labels.sorted().prefix(shown).joined(separator: ", ") + (labels.count > shown ? " …" : "")
    }
}
