package import Base
import Foundation

/// What waits for somebody who is away: one file each, in the order in which it came, so that it survives a restart.
///
/// Where more waits than may, the oldest goes: what happened last matters most. Every call blocks for as long as the disk
/// does; the files are flushed before `add` returns.
package final class Outbox: Sendable {
    /// One thing that waits.
    package struct Item: Sendable {
        /// Ascends with time, over restarts too.
        package let number: Int
        package let bytes: [UInt8]
    }

    private struct State {
        /// Ascending.
        var numbers: [Int]
        var next: Int
        var dropped = 0
    }

    /// Bytes of one thing that waits.
    private static let largest = 4 << 20

    private let directory: String
    private let limit: Int
    private let state: Locked<State>

    /// - Parameters:
    ///   - directory: made when something is added.
    ///   - limit: things that may wait.
    package init(directory: String, limit: Int) {
        self.directory = directory
        self.limit = max(1, limit)
        let numbers = FileSystem.names(in: directory).compactMap(Self.number).sorted()
        state = Locked(State(numbers: numbers, next: (numbers.last ?? 0) + 1))
    }

    /// Things that wait.
    package var count: Int { state.withLock { $0.numbers.count } }
    /// Things that had to make room since the start.
    package var dropped: Int { state.withLock { $0.dropped } }

    /// Takes something in.
    ///
    /// - Throws: `FileError` where it cannot be written; nothing waits then that did not before.
    @discardableResult package func add(_ bytes: [UInt8]) throws(FileError) -> Int {
        let number = state.withLock { state in
            defer { state.next += 1 }
            return state.next
        }
        try DurableFile.replace(path(number), with: bytes)
        let excess = state.withLock { state in
            let place = state.numbers.lastIndex { $0 < number }.map { $0 + 1 } ?? 0
            state.numbers.insert(number, at: place)
            let excess = Array(state.numbers.prefix(max(0, state.numbers.count - limit)))
            state.numbers.removeFirst(excess.count)
            state.dropped += excess.count
            return excess
        }
        for number in excess { FileSystem.remove(path(number)) }
        return number
    }

    /// The oldest that wait, at most so many, beside those that are passed over. One that cannot be read any more waits no
    /// longer.
    package func oldest(_ count: Int, except passed: Set<Int> = []) -> [Item] {
        let numbers = state.withLock { state in
            state.numbers.lazy.filter { !passed.contains($0) }.prefix(count).map(\.self)
        }
        return numbers.compactMap { number in
            if let bytes = try? FileSystem.load(path(number), limit: Self.largest) {
                return Item(number: number, bytes: bytes)
            }
            remove(number)
            return nil
        }
    }

    /// Has arrived, or is given up.
    package func remove(_ number: Int) {
        state.withLock { state in state.numbers.removeAll { $0 == number } }
        FileSystem.remove(path(number))
    }

    private func path(_ number: Int) -> String { directory + "/" + String(number).leftPadded + ".json" }

    private static func number(_ name: String) -> Int? {
        guard name.hasSuffix(".json") else { return nil }
        return Int(name.dropLast(5))
    }
}

extension String {
    /// So that the names of the files are in the order of their numbers.
    fileprivate var leftPadded: String { String(repeating: "0", count: max(0, 12 - count)) + self }
}
