import Base
package import Storage
import Streams

/// Checks of rows that another process wrote.
extension VideoJob {
    /// - Throws: `HistoryError.invalid`, which names the field.
    package func validate() throws(HistoryError) {
        try RowRules.share(progress, "progress")
        try RowRules.milliseconds(Double(milliseconds ?? 0), "milliseconds")
        for count in [bytes, attempts, looked, tracks, info.frames ?? 0] {
            try RowRules.count(count, atMost: 1 << 53, "counts")
        }
        for time in [started, finished] { if let time { try RowRules.time(time, "times") } }
        for side in [info.width, info.height] { try RowRules.check(side, in: 1...1_000_000, "info") }
        try RowRules.milliseconds((info.duration ?? 0) * 1000, "info.duration")
        try RowRules.check(info.framesPerSecond ?? 0, in: 0...1_000_000, "info.framesPerSecond")
        try RowRules.check(parameters.every, in: 0.01...120, "wish.every")
        for lap in laps ?? [] { try lap.validate() }
        try parameters.laps?.configuration.validate()
        if let pointed = parameters.laps?.pointed {
            try RowRules.box(x: pointed.point.x, y: pointed.point.y, width: 0, height: 0, "point")
            try RowRules.milliseconds(Double(pointed.milliseconds), "point_s")
        }
    }
}

extension VideoFindings {
    /// - Throws: `HistoryError.invalid`, which names the field.
    func validate() throws(HistoryError) {
        for track in tracks {
            try RowRules.label(track.label, "tracks")
            try Self.times(track.first, track.last, field: "tracks")
            try Self.check(track.best.box)
            try Self.times(track.best.milliseconds, field: "tracks.best")
            try RowRules.share(track.best.confidence, "tracks.best")
            for breed in track.breeds {
                try RowRules.label(breed.label, "tracks.breeds")
                try RowRules.share(Double(breed.confidence), "tracks.breeds")
            }
            for box in track.boxes { try Self.check(box) }
        }
        for scene in scenes {
            try RowRules.label(scene.label, "scenes")
            try RowRules.label(scene.head, "scenes")
            try Self.times(scene.first, scene.last, scene.best, field: "scenes")
            try RowRules.share(scene.confidence, "scenes")
        }
        try RowRules.count(looked, atMost: 1 << 53, "looked")
        for count in [ending.frames, ending.damaged] { try RowRules.count(count, atMost: 1 << 53, "ending") }
    }

    private static func check(_ box: Box) throws(HistoryError) {
        try times(box.milliseconds, field: "tracks.boxes")
        try RowRules.box(x: box.x, y: box.y, width: box.width, height: box.height, "tracks.boxes")
        try RowRules.share(box.confidence, "tracks.boxes")
    }

    private static func times(_ milliseconds: Int..., field: String) throws(HistoryError) {
        for time in milliseconds { try RowRules.milliseconds(Double(time), field) }
    }
}
