package import Base
import Foundation
import Logging

/// Items that wait for an unreachable receiver. Each is a file, so the queue survives a restart and keeps its order.
///
/// A full queue drops its oldest item, since the latest events matter most. Every call blocks on the disk. `add`
/// returns after its file is flushed.
package final class Outbox: Sendable {
    package struct Item: Sendable {
        /// Ascends with time, even over restarts.
        package let number: Int
        package let bytes: [UInt8]
        /// When it was added. Nil if it waited already when the queue was opened.
        package let added: ContinuousClock.Instant?
    }

    private struct State {
        /// In ascending order.
        var numbers: [Int]
        var next: Int
        var added: [Int: ContinuousClock.Instant] = [:]
        var dropped = 0
        /// The items that were logged as unreadable.
        var unreadable: Set<Int> = []
    }

    /// The largest item in bytes.
    private static let largest = 4 << 20
    /// The largest number of a file that counts as an item. Many more fit behind it.
    private static let largestNumber = Int.max / 2

    private let directory: String
    private let limit: Int
    private let logger = Logger(label: "menagerie.outbox")
    private let state: Locked<State>

    /// - Parameters:
    ///   - directory: the folder, created with the first item.
    ///   - limit: the largest number of items.
    package init(directory: String, limit: Int) {
        self.directory = directory
        self.limit = max(1, limit)
        let names = FileSystem.names(in: directory)
        // A killed process may have left the beginning of an item.
        for name in names where name.hasSuffix(".partial") { FileSystem.remove(directory + "/" + name) }
        let numbers = names.compactMap(Self.number).sorted()
        state = Locked(State(numbers: numbers, next: (numbers.last ?? 0) + 1))
    }

    /// Locks the folder against ``remove(directory:)`` until the descriptor is closed. Nil if it is locked already.
    func lock() -> Int32? {
        try? FileSystem.makeDirectory(directory)
        return FileSystem.lockDirectory(directory)
    }

    /// Deletes the folder of a receiver that was removed from the settings. Another service on the same data directory
    /// may still have the receiver, and its lock.
    ///
    /// - Returns: the number of deleted items.
    package static func remove(directory: String) -> Int {
        let waiting = FileSystem.names(in: directory).count { $0.hasSuffix(".json") }
        FileSystem.removeUnlockedDirectory(directory)
        return FileSystem.isDirectory(directory) ? 0 : waiting
    }

    package var count: Int { state.withLock { $0.numbers.count } }
    /// The number of items dropped since the start because the queue was full.
    package var dropped: Int { state.withLock { $0.dropped } }

    /// Adds an item.
    ///
    /// - Throws: `FileError` if it cannot be written. The queue is then unchanged.
    @discardableResult package func add(_ bytes: [UInt8]) throws(FileError) -> Int {
        let number = state.withLock { state in
            defer { state.next += 1 }
            return state.next
        }
        try DurableFile.replace(path(number), with: bytes)
        let excess = state.withLock { state in
            let place = state.numbers.lastIndex { $0 < number }.map { $0 + 1 } ?? 0
            state.numbers.insert(number, at: place)
            state.added[number] = .now
            let excess = Array(state.numbers.prefix(max(0, state.numbers.count - limit)))
            state.numbers.removeFirst(excess.count)
            for number in excess { state.added[number] = nil }
            state.dropped += excess.count
            return excess
        }
        for number in excess { FileSystem.remove(path(number)) }
        return number
    }

    /// The oldest waiting items, except some. An item that cannot be read now waits on. One that is too large, or no
    /// file, is removed.
    package func oldest(_ count: Int, except passed: Set<Int> = []) -> [Item] {
        var items: [Item] = []
        for number in state.withLock({ $0.numbers }) where items.count < count && !passed.contains(number) {
            do throws(FileError) {
                if let bytes = try FileSystem.load(path(number), limit: Self.largest) {
                    items.append(Item(number: number, bytes: bytes, added: state.withLock { $0.added[number] }))
                } else {
                    remove(number)
                }
            } catch {
                switch error {
                case .tooLarge, .failed(_, EISDIR):
                    logger.error("A waiting message is dropped: it cannot be read", metadata: ["error": "\(error)"])
                    remove(number)
                default:
                    guard state.withLock({ $0.unreadable.insert(number).inserted }) else { continue }
                    logger.warning("A waiting message cannot be read now", metadata: ["error": "\(error)"])
                }
            }
        }
        return items
    }

    /// Whether an item waits that could not be read.
    package var hasUnreadable: Bool { state.withLock { !$0.unreadable.isEmpty } }

    /// Removes an item that has arrived or is given up.
    package func remove(_ number: Int) {
        state.withLock { state in
            state.numbers.removeAll { $0 == number }
            state.added[number] = nil
            state.unreadable.remove(number)
        }
        FileSystem.remove(path(number))
    }

    /// The zeros let file names sort by number.
    private func path(_ number: Int) -> String { directory + String(format: "/%012ld.json", number) }

    private static func number(_ name: String) -> Int? {
        guard name.hasSuffix(".json") else { return nil }
        return Int(name.dropLast(5)).flatMap { (0...largestNumber).contains($0) ? $0 : nil }
    }
}
