import API
import Base
import Encyclopaedia
import Foundation
import Recognition
import Streams
import Video

/// The findings of a video for the command line.
extension LabelNames {
    func title(_ track: VideoFindings.Track) -> String { track.title(encyclopaedia, in: language) }

    /// - Parameter laps: nil if no laps were requested.
    func text(_ findings: VideoFindings, laps: [Lap]?) -> String {
        let scenes = findings.scenes.map { scene in
            "\(Self.time(scene.first))–\(Self.time(scene.last))  "
                + "\(name(scene.label, from: .head(scene.head))) \(scene.confidence.percent)"
        }
        let tracks = findings.tracks.map {
            "\(Self.time($0.first))–\(Self.time($0.last))  #\($0.track) \(title($0))"
        }
        let times = (laps ?? []).map { lap in
            "Lap \(lap.number) of \(name(lap.label, from: .unknown)) \(lap.runner): "
                + "\(Self.seconds(lap.lapMilliseconds)) s, from \(Self.time(Int(clamping: lap.startedMilliseconds)))"
        }
        let lines = tracks + scenes + (laps?.isEmpty == true ? ["No lap was made."] : times)
        return lines.isEmpty ? "Nothing was recognised." : lines.joined(separator: "\n")
    }

    private static func seconds(_ milliseconds: Double) -> String {
        let whole = Int(clamping: milliseconds.rounded())
        return String(format: "%ld.%03ld", whole / 1000, whole % 1000)
    }

    /// `1:02.5`
    private static func time(_ milliseconds: Int) -> String {
        let tenths = milliseconds / 100
        return String(format: "%ld:%02ld.%ld", tenths / 600, tenths / 10 % 60, tenths % 10)
    }
}
