import Base
import Foundation
import Logging
import Storage

/// Stores sightings and their pictures for the retention time. Each has two files, named by its id.
///
/// Every call blocks on the disk.
package final class SightingStore: Sendable {
    private struct Entry {
        var sighting: Sighting
        var bytes: Int
    }

    private struct State {
        /// Sorted by id, and so by time.
        var entries: [Entry] = []
        var tally = SightingTally()
    }

    private static let largest = 16 << 20

    private let directory: String
    /// The bytes are those of all pictures.
    private let retention: RetentionPolicy
    private let state: Locked<State>
    /// Held until the counts are on the disk, so that older ones never replace newer ones.
    private let counting = Locked(())
    let clockDoubt = ClockDoubt()
    private static let logger = Logger(label: "menagerie.cameras")

    init(directory: String, retention: RetentionPolicy) {
        self.directory = directory
        self.retention = retention
        var state = State()
        let names = Set(FileSystem.names(in: directory))
        // A killed process may have left a picture without its sighting, or the beginning of a file.
        for name in names where name.hasSuffix(".jpg") || name.hasSuffix(".partial") {
            if !names.contains(name.dropLast(4) + ".json") { FileSystem.remove(directory + "/" + name) }
        }
        for name in names.sorted() where name.hasSuffix(".json") && name != Self.tallyName {
            guard let sighting = Self.read(Sighting.self, directory + "/" + name), name == sighting.id + ".json" else {
                continue
            }
            let size = FileSystem.attributes(directory + "/" + sighting.id + ".jpg")?.size ?? 0
            state.entries.append(Entry(sighting: sighting, bytes: size))
        }
        state.tally = Self.read(SightingTally.self, directory + "/" + Self.tallyName) ?? state.tally
        self.state = Locked(state)
    }

    /// Reads a file; nil if there is none. A damaged file is logged and left alone.
    private static func read<Value: Decodable>(_ type: Value.Type, _ path: String) -> Value? {
        do {
            guard let bytes = try FileSystem.load(path, limit: largest) else { return nil }
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch {
            logger.error("A file of the sightings cannot be read", metadata: ["file": "\(path)", "error": "\(error)"])
            return nil
        }
    }

    private static let tallyName = "tally.json"

    /// Counts a sighting, and writes the counts into it.
    ///
    /// - Parameter before: the sighting as it was counted under another name.
    func count(_ sighting: inout Sighting, insteadOf before: Sighting? = nil) throws(FileError) {
        try counting.withLock { _ throws(FileError) in
            let (counted, tally) = state.withLock { [sighting] state in
                var counted = sighting
                state.tally.count(&counted, insteadOf: before)
                return (counted, state.tally)
            }
            sighting = counted
            try DurableFile.replace(directory + "/" + Self.tallyName, with: Array(json: tally))
        }
    }

    func keep(_ sighting: Sighting, picture: [UInt8]) throws(FileError) {
        try DurableFile.replace(path(sighting.id, "jpg"), with: picture)
        try DurableFile.replace(path(sighting.id, "json"), with: Array(json: sighting))
        // Before the new one makes a clock that is ahead look right.
        sweep()
        state.withLock { state in
            state.entries.removeAll { $0.sighting.id == sighting.id }
            let place = state.entries.lastIndex { $0.sighting.id < sighting.id }.map { $0 + 1 } ?? 0
            state.entries.insert(Entry(sighting: sighting, bytes: picture.count), at: place)
        }
        sweep()
    }

    /// A sighting by its id. Nil if it is not stored, or no longer.
    subscript(_ id: String) -> Sighting? {
        state.withLock { state in state.entries.last { $0.sighting.id == id }?.sighting }
    }

    /// A camera's newest sightings before a given one. Nil starts at the newest of all.
    package func newest(of camera: String, before id: String?, limit: Int) -> [Sighting] {
        state.withLock { state in
            state.entries.reversed().lazy.map(\.sighting)
                .filter { sighting in sighting.camera == camera && id.map { sighting.id < $0 } ?? true }
                .prefix(limit).map(\.self)
        }
    }

    /// The number of stored sightings of a camera.
    package func count(of camera: String) -> Int {
        state.withLock { $0.entries.count { $0.sighting.camera == camera } }
    }

    /// The picture of a sighting, as JPEG. Nil if the camera has no such sighting.
    package func picture(of camera: String, _ id: String) -> [UInt8]? {
        let isThere = state.withLock { $0.entries.contains { $0.sighting.id == id && $0.sighting.camera == camera } }
        return isThere ? (try? FileSystem.load(path(id, "jpg"), limit: Self.largest)) ?? nil : nil
    }

    /// The end of a camera's newest sighting.
    func last(of camera: String) -> SightingEvent? {
        newest(of: camera, before: nil, limit: 1).first.flatMap { sighting in
            picture(of: camera, sighting.id).map { SightingEvent(kind: .left, sighting: sighting, picture: $0) }
        }
    }

    /// Deletes the sightings beyond the limits.
    func sweep(now: Date = Date()) {
        let gone = state.withLock { state in
            let retention = clockDoubt.trusted(
                retention, newest: state.entries.last?.sighting.last, now: now, of: "sighting", Self.logger)
            var bytes = state.entries.reduce(0) { $0 + $1.bytes }
            var count = 0
            for entry in state.entries {
                let isOld = retention.maximumAge.map { now.timeIntervalSince(entry.sighting.last) > $0 } ?? false
                let isTooMuch = retention.maximumBytes.map { bytes > $0 } ?? false
                guard isOld || isTooMuch else { break }
                bytes -= entry.bytes
                count += 1
            }
            let gone = state.entries.prefix(count).map(\.sighting.id)
            state.entries.removeFirst(count)
            return gone
        }
        gone.forEach(removeFiles)
    }

    func removeAll(of camera: String) {
        let gone = state.withLock { state in
            let gone = state.entries.filter { $0.sighting.camera == camera }.map(\.sighting.id)
            state.entries.removeAll { $0.sighting.camera == camera }
            return gone
        }
        gone.forEach(removeFiles)
    }

    private func removeFiles(_ id: String) {
        FileSystem.remove(path(id, "json"))
        FileSystem.remove(path(id, "jpg"))
    }

    private func path(_ id: String, _ ending: String) -> String { "\(directory)/\(id).\(ending)" }
}

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
    /// - Parameters:
    ///   - before: the sighting as it was counted under another name. It no longer counts there.
    ///   - calendar: decides when a day begins. Nil takes the service's.
    mutating func count(_ sighting: inout Sighting, insteadOf before: Sighting? = nil, calendar: Calendar? = nil) {
        func day(of date: Date) -> String {
            let parts = (calendar ?? .local(at: date)).dateComponents([.year, .month, .day], from: date)
            return "\(parts.year ?? 0)-\(parts.month ?? 0)-\(parts.day ?? 0)"
        }
        if let before, var entry = entries[before.key], entry.day == day(of: before.first), entry.count > 0 {
            entry.count -= 1
            entries[before.key] = before.isFirstEver && entry.count == 0 ? nil : entry
        }
        // Another visit of the better name may have begun meanwhile, on the next day.
        let today = day(of: before == nil ? sighting.first : sighting.last)
        let entry = entries[sighting.key]
        sighting.isFirstEver = entry == nil
        sighting.isFirstToday = entry?.day != today || entry?.count == 0
        sighting.countToday = sighting.isFirstToday ? 1 : (entry?.count ?? 0) + 1
        guard entry != nil || entries.count < Self.limit else { return }
        entries[sighting.key] = Entry(day: today, count: sighting.countToday)
    }
}
