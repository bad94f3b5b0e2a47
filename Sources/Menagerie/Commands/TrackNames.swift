import Base
import Encyclopaedia
import Foundation
import Streams
import Video

/// The names of tracks in one language, for the command line.
struct TrackNames: Sendable {
    let encyclopaedia: Encyclopaedia
    let language: Language

    /// `Dog: Petit Brabançon 93.1%`, `Snow leopard 97.2%`, `Cat 88.0%`
    func title(_ track: VideoFindings.Track) -> String {
        let name = encyclopaedia.name(track.label, from: .box, in: language)
        guard let kind = track.kind else { return "\(name) \(track.best.confidence.percent)" }
        let text = "\(self.name(kind)) \(kind.prediction.percent)"
        return track.species == nil ? "\(name): \(text)" : text
    }

    private func name(_ kind: VideoFindings.Species) -> String {
        encyclopaedia.name(kind.prediction.label, from: .head(kind.head), in: language)
    }

    /// - Parameter laps: nil if no laps were requested.
    func text(_ findings: VideoFindings, laps: [Lap]?) -> String {
        let scenes = findings.scenes.map { scene in
            "\(Self.time(scene.first))–\(Self.time(scene.last))  "
                + "\(encyclopaedia.name(scene.label, from: .head(scene.head), in: language)) \(scene.confidence.percent)"
        }
        let tracks = findings.tracks.map {
            "\(Self.time($0.first))–\(Self.time($0.last))  #\($0.track) \(title($0))"
        }
        let times = (laps ?? []).map { lap in
            "Lap \(lap.number) of \(name(lap)) \(lap.runner): "
                + "\(Self.seconds(lap.lapMilliseconds)) s, from \(Self.time(Int(clamping: lap.startedMilliseconds)))"
        }
        let lines = tracks + scenes + (laps?.isEmpty == true ? ["No lap was made."] : times)
        return lines.isEmpty ? "Nothing was recognised." : lines.joined(separator: "\n")
    }

    func json(_ findings: VideoFindings, _ info: VideoInfo, laps: [Lap]?) throws -> String {
        struct Item: Encodable {
            let track: Int
            let label, name: String
            let firstMs, lastMs: Int
            let best: Best
            let breed, species: Breed?
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
        struct Timed: Encodable {
            let number: Int
            let label, name: String
            let runner: Int
            let track: Int?
            let startedMs, lapMs, confidence: Double
        }
        struct Document: Encodable {
            let durationS: Double?
            let width, height, framesLooked: Int
            let items: [Item]
            let scenes: [Scene]
            let laps: [Timed]?
        }
        func told(_ kind: VideoFindings.Species) -> Breed {
            Breed(label: kind.prediction.label, name: self.name(kind), confidence: Double(kind.prediction.confidence))
        }
        let items = findings.tracks.map { track in
            Item(
                track: track.track, label: track.label, name: encyclopaedia.name(track.label, from: .box, in: language),
                firstMs: track.first, lastMs: track.last,
                best: Best(atMs: track.best.milliseconds, confidence: track.best.confidence),
                breed: track.species == nil ? track.kind.map(told) : nil, species: track.species.map(told),
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
                items: items, scenes: scenes,
                laps: laps?.map {
                    Timed(
                        number: $0.number, label: $0.label, name: name($0), runner: $0.runner, track: $0.track,
                        startedMs: Self.tenths($0.startedMilliseconds), lapMs: Self.tenths($0.lapMilliseconds),
                        confidence: $0.confidence)
                }))
    }

    static func line(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func name(_ lap: Lap) -> String { encyclopaedia.name(lap.label, from: .unknown, in: language) }

    /// Rounds to a tenth of a millisecond. No camera is more precise.
    private static func tenths(_ milliseconds: Double) -> Double { (milliseconds * 10).rounded() / 10 }

    private static func seconds(_ milliseconds: Double) -> String {
        let whole = Int(clamping: milliseconds.rounded())
        let rest = "\(whole % 1000)"
        return "\(whole / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }

    /// `1:02.5`
    private static func time(_ milliseconds: Int) -> String {
        let tenths = milliseconds / 100
        let seconds = tenths / 10 % 60
        return "\(tenths / 600):\(seconds < 10 ? "0" : "")\(seconds).\(tenths % 10)"
    }
}
