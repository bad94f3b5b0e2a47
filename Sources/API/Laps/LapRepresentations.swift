import Base
import Encyclopaedia
import Foundation
import Streams

/// A lap as the interface shows it.
struct LapRepresentation: Encodable {
    let number: Int
    let label: String
    let name: String?
    /// Tells objects of one kind apart, from lap to lap.
    let runner: Int
    let track: Int?
    let startedMs: Double
    let lapMs: Double
    let confidence: Double
    let photoUrl: String?

    init(_ lap: Lap, session: ULID, name: String?, hasPhoto: Bool) {
        number = lap.number
        label = lap.label
        self.name = name
        runner = lap.runner
        track = lap.track
        // To a tenth of a millisecond, more than which no camera tells.
        startedMs = (lap.startedMilliseconds * 10).rounded() / 10
        lapMs = (lap.lapMilliseconds * 10).rounded() / 10
        confidence = (lap.confidence * 10_000).rounded() / 10_000
        photoUrl = hasPhoto ? "/laps/\(session)/laps/\(lap.number)/photo" : nil
    }
}

/// An object's clock has started.
struct LapStarted: Encodable {
    let runner: Int
    let label: String
    let atMs: Double
}

/// What a stream is told of its lap timer.
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

/// A lap timer as the interface shows it.
struct LapSessionRepresentation: Encodable {
    struct Candidate: Encodable {
        let label: String
        let name: String
        let confidence: Double
    }

    let id: String
    let createdAt: Date
    let state: String
    /// What is timed; absent while the candidate is not chosen.
    let label: String?
    let name: String?
    let model: String?
    let minimumLapS: Double
    let threshold: Double
    let line: [[Double]]?
    let candidates: [Candidate]
    let laps: [LapRepresentation]
    /// Of the shortest lap; absent while there is none.
    let bestMs: Double?
    /// Of which the frames were; absent for a camera's.
    let video: String?
    /// Whether a stream feeds it now.
    let connected: Bool

    init(_ snapshot: LapSessions.Snapshot, names: LabelNames) {
        let document = snapshot.document
        id = snapshot.id.description
        createdAt = document.createdAt
        state = snapshot.state.rawValue
        label = snapshot.label
        name = snapshot.label.map { names.name($0, from: .unknown) }
        model = document.model
        minimumLapS = document.configuration.minimumMilliseconds / 1000
        threshold = document.configuration.threshold
        line = document.configuration.line.map { [[$0.from.x, $0.from.y], [$0.to.x, $0.to.y]] }
        candidates = snapshot.candidates.map {
            Candidate(
                label: $0.label, name: names.name($0.label, from: .unknown),
                confidence: ($0.confidence * 10_000).rounded() / 10_000)
        }
        laps = document.laps.map { lap in
            LapRepresentation(
                lap, session: snapshot.id, name: names.name(lap.label, from: .unknown),
                hasPhoto: document.photos.contains(lap.number))
        }
        bestMs = laps.map(\.lapMs).min()
        video = document.video
        connected = snapshot.isFed
    }

    /// Lines of RFC 4180, with the name of each column in the first.
    var csv: String {
        var text = "number,runner,track,label,name,started_ms,lap_ms,confidence\r\n"
        for lap in laps {
            let fields = [
                "\(lap.number)", "\(lap.runner)", lap.track.map { "\($0)" } ?? "", lap.label, lap.name ?? "",
                "\(lap.startedMs)", "\(lap.lapMs)", "\(lap.confidence)",
            ]
            text += CSVText.line(fields.map(CSVText.harmless))
        }
        return text
    }
}
