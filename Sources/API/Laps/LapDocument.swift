import Foundation
import History
import Streams

/// A session of the lap timer in its stored form.
struct LapDocument: Codable, Equatable, Sendable {
    let createdAt: Date
    var configuration: LapConfiguration
    let model: String?
    /// The video that the frames came from; nil for a camera.
    let video: String?
    var laps: [Lap]
    /// The numbers of the laps that have a picture.
    var photos: Set<Int>
    var lastNumber: Int
    /// The event that closed the laps of a video; nil for a camera, and in rows of releases that did not store it.
    var counting: LapCounting?

    /// Reads a row; nil if it is malformed, from a later release, or has impossible values.
    init?(_ record: LapRecord) {
        guard let document = try? JSONDecoder().decode(LapDocument.self, from: Data(record.document.utf8)),
            (try? document.validate()) != nil
        else { return nil }
        self = document
    }

    init(
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
