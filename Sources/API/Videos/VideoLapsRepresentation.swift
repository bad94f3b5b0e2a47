import Base
import Encyclopaedia
import Streams
import Video

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
