import Base
import Foundation

/// Counts the sightings of each animal, to recognise the first of a day and the first ever. The counts are stored, and
/// outlive the sightings.
struct SightingTally: Codable, Sendable {
    private struct Entry: Codable {
        var day: String
        var count: Int
    }

    /// The largest number of names. There are fewer breeds than that.
    private static let limit = 5000

    private var entries: [String: Entry] = [:]

    /// Counts a sighting, and writes the counts into it.
    ///
    /// - Parameter calendar: decides when a day begins.
    mutating func count(_ sighting: inout Sighting, calendar: Calendar = .current) {
        let parts = calendar.dateComponents([.year, .month, .day], from: sighting.first)
        let day = "\(parts.year ?? 0)-\(parts.month ?? 0)-\(parts.day ?? 0)"
        let entry = entries[sighting.key]
        sighting.isFirstEver = entry == nil
        sighting.isFirstToday = entry?.day != day
        sighting.countToday = sighting.isFirstToday ? 1 : (entry?.count ?? 0) + 1
        guard entry != nil || entries.count < Self.limit else { return }
        entries[sighting.key] = Entry(day: day, count: sighting.countToday)
    }
}
