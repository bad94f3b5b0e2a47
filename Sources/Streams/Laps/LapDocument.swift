internal import Base
package import Foundation
package import Storage

/// A session of the lap timer in its stored form.
package struct LapDocument: Codable, Equatable, Sendable {
    package let createdAt: Date
    package internal(set) var configuration: LapConfiguration
    package let model: String?
    /// The video that the frames came from; nil for a camera.
    package let video: String?
    package internal(set) var laps: [Lap]
    /// The numbers of the laps that have a picture.
    package internal(set) var photos: Set<Int>
    var lastNumber: Int
    /// The event that closed the laps of a video; nil for a camera, and in rows of releases that did not store it.
    package internal(set) var counting: LapCounting?

    /// Reads a row; nil if it is malformed, from a later release, or has impossible values.
    init?(_ record: LapRecord) {
        guard let document = try? JSONDecoder().decode(LapDocument.self, from: Data(record.document.utf8)),
            (try? document.validate()) != nil
        else { return nil }
        self = document
    }

    func record(_ id: ULID) throws -> LapRecord {
        LapRecord(id: id, document: String(decoding: try JSONEncoder().encode(self), as: UTF8.self))
    }

    package init(
        createdAt: Date, configuration: LapConfiguration, model: String?, video: String?, laps: [Lap],
        photos: Set<Int>, lastNumber: Int, counting: LapCounting? = nil
    ) {
        self.counting = counting
        (self.createdAt, self.configuration, self.model, self.video) = (createdAt, configuration, model, video)
        (self.laps, self.photos, self.lastNumber) = (laps, photos, lastNumber)
    }

    private func validate() throws(HistoryError) {
        try RowRules.time(createdAt, "createdAt")
        try configuration.validate()
        for lap in laps { try lap.validate() }
        for number in photos.union([lastNumber]) { try RowRules.count(number, atMost: 1 << 53, "photos") }
    }
}

extension Lap {
    /// - Throws: `HistoryError.invalid`, which names the field.
    package func validate() throws(HistoryError) {
        try RowRules.label(label, "laps")
        for count in [number, runner, track ?? 0] { try RowRules.count(count, atMost: 1 << 53, "laps") }
        for time in [startedMilliseconds, lapMilliseconds] { try RowRules.milliseconds(time, "laps") }
        try RowRules.share(confidence, "laps")
    }
}

extension LapConfiguration {
    /// - Throws: `HistoryError.invalid`, which names the field.
    package func validate() throws(HistoryError) {
        if let label { try RowRules.label(label, "label") }
        for point in [line?.from, line?.to] {
            if let point { try RowRules.box(x: point.x, y: point.y, width: 0, height: 0, "line") }
        }
        try RowRules.milliseconds(minimumMilliseconds, "minimum_lap_s")
        try RowRules.share(threshold, "threshold")
    }
}
