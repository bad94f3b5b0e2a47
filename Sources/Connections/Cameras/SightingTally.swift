import Base
import Foundation

/// How often each animal was seen: what makes a sighting the first of the day, or the first ever. Outlives the sightings
/// themselves, and the service.
struct SightingTally: Codable, Sendable {
    private struct Entry: Codable {
        var day: String
        var count: Int
    }

    /// Names that are remembered; there are fewer breeds than that.
    private static let limit = 5000

    private var entries: [String: Entry] = [:]

    /// Counts a sighting, and notes in it what that makes it.
    ///
    /// - Parameter calendar: of those who live there.
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
