package import Base
package import Encyclopaedia
import Foundation
import Imaging
package import Streams

/// A lap in the HTTP interface.
package struct LapRepresentation: Encodable {
    let number: Int
    let label: String
    let name: String?
    /// A number that tells objects of one kind apart, from lap to lap.
    let runner: Int
    let track: Int?
    let startedMs: Double
    let lapMs: Double
    let confidence: Double
    let photoUrl: String?

    /// - Parameter session: nil for a film on the command line.
    package init(_ lap: Lap, session: ULID?, name: String?, hasPhoto: Bool) {
        number = lap.number
        label = lap.label
        self.name = name
        runner = lap.runner
        track = lap.track
        // No camera is more precise than a tenth of a millisecond.
        startedMs = lap.startedMilliseconds.rounded1
        lapMs = lap.lapMilliseconds.rounded1
        confidence = lap.confidence.rounded4
        photoUrl = session.flatMap { hasPhoto ? "/laps/\($0)/laps/\(lap.number)/photo" : nil }
    }
}

/// A message that an object's clock has started.
struct LapStarted: Encodable {
    let runner: Int
    let label: String
    let atMs: Double
}

/// A message that a lap was deleted.
struct LapUndone: Encodable {
    let id: String
    let number: Int
}

/// The lap timer's messages to a stream.
enum LapMessage: Encodable {
    case lap(LapRepresentation)
    case state(id: String, LapState)

    private enum CodingKeys: String, CodingKey {
        case type, id, state
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .lap(let lap):
            try lap.encode(to: encoder)
            try container.encode("lap", forKey: .type)
        case .state(let id, let state):
            try container.encode("laps", forKey: .type)
            try container.encode(id, forKey: .id)
            try container.encode(state.rawValue, forKey: .state)
        }
    }
}

extension LabelNames {
    /// The name of the timed thing. A thing that somebody pointed at may have none.
    package func lapName(_ label: String, from origin: LabelOrigin = .unknown) -> String {
        guard label == ThingAppearance.nameless else { return name(label, from: origin) }
        return language == .english ? "This one" : "Tämä"
    }
}

/// A lap timer in the HTTP interface.
struct LapSessionRepresentation: Encodable {
    struct Candidate: Encodable {
        let label: String
        let name: String
        let confidence: Double
    }

    let id: String
    let createdAt: Date
    let state: String
    /// The timed label; absent until a candidate is chosen.
    let label: String?
    let name: String?
    let model: String?
    let minimumLapS: Double
    let threshold: Double
    let line: [[Double]]?
    /// The event that closes a lap, `line` or `sight`; absent until the timer has chosen.
    let counting: String?
    /// The place of the thing that somebody pointed at and that is timed by its appearance; absent if there is none.
    let pointed: PictureRegion?
    let candidates: [Candidate]
    let laps: [LapRepresentation]
    /// The time of the shortest lap; absent before the first lap.
    let bestMs: Double?
    /// The video that the frames came from; absent for a camera.
    let video: String?
    /// Whether a stream feeds the timer now.
    let connected: Bool

    init(_ snapshot: LapSessions.Snapshot, names: LabelNames) {
        let document = snapshot.document
        id = snapshot.id.description
        createdAt = document.createdAt
        state = snapshot.state.rawValue
        label = snapshot.label
        name = snapshot.label.map { names.lapName($0) }
        model = document.model
        minimumLapS = document.configuration.minimumMilliseconds / 1000
        threshold = document.configuration.threshold
        line = document.configuration.line.map { [[$0.from.x, $0.from.y], [$0.to.x, $0.to.y]] }
        counting = snapshot.counting?.rawValue
        pointed = snapshot.pointed?.box.rounded4
        candidates = snapshot.candidates.map {
            Candidate(label: $0.label, name: names.lapName($0.label), confidence: $0.confidence.rounded4)
        }
        laps = document.laps.map { lap in
            LapRepresentation(
                lap, session: snapshot.id, name: names.lapName(lap.label),
                hasPhoto: document.photos.contains(lap.number))
        }
        bestMs = laps.map(\.lapMs).min()
        video = document.video
        connected = snapshot.isFed
    }

    /// Lines of RFC 4180. The first has the names of the columns.
    var csv: String {
        var text = "number,runner,track,label,name,started_ms,lap_ms,confidence\r\n"
        for lap in laps {
            let fields = [
                "\(lap.number)", "\(lap.runner)", lap.track.map { "\($0)" } ?? "", lap.label, lap.name ?? "",
                "\(lap.startedMs)", "\(lap.lapMs)", "\(lap.confidence)",
            ]
            text += CSVText.line(fields)
        }
        return text
    }
}
