import Foundation
import History
import Streams

/// A session of the lap timer as the store keeps it.
struct LapDocument: Codable, Equatable, Sendable {
    let createdAt: Date
    var configuration: LapConfiguration
    let model: String?
    /// Of which the frames were; nil for a camera's.
    let video: String?
    var laps: [Lap]
    /// Numbers of the laps with a picture.
    var photos: Set<Int>
    var lastNumber: Int
    /// What closed the laps of a video; nil for a camera's, and in rows of releases that did not say.
    var counting: LapCounting?

    /// nil for a row that is none, of a later release, or with values that no lap timer has.
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
