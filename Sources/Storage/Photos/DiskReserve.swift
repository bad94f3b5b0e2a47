internal import Base

/// A file that reserves space on the disk for deleting, opening and closing.
///
/// A database writes before it frees space. On a full disk, the file is emptied for such a write and refilled before
/// anything else is written. So deleting scans can always empty a full disk.
final class DiskReserve: Sendable {
    /// The size in bytes: twice what the write-ahead log holds before it goes to the database.
    static let size = 8 << 20

    /// Nil means that no space is reserved.
    private let directory: String?
    private let turn = Locked(())

    init(in directory: String?) { self.directory = directory }

    /// Grows the file to its size, or to a sixteenth of the free space if that is less. Blocks.
    func fill() {
        turn.withLock { _ in
            let (size, free) = (currentSize, freeBytes)
            grow(from: size, to: min(Self.size, (size + free) / 16))
        }
    }

    /// Runs the body. If the disk is full, runs it again with the reserve freed. Blocks.
    func backing<Value: Sendable>(_ body: () throws(HistoryError) -> Value) throws(HistoryError) -> Value {
        try turn.withLock { _ throws(HistoryError) in
            do throws(HistoryError) {
                return try body()
            } catch {
                let size = currentSize
                guard case .diskFull = error, size > 0, shrink() else { throw error }
                defer { grow(from: 0, to: min(size, freeBytes)) }
                return try body()
            }
        }
    }

    private var path: String? { directory.map { $0 + "/reserve" } }
    private var currentSize: Int { path.flatMap { FileSystem.attributes($0)?.size } ?? 0 }
    private var freeBytes: Int { directory.flatMap { FileSystem.freeBytes($0) } ?? 0 }

    private func shrink() -> Bool { path.flatMap { try? FileSystem.resize($0, to: 0) } != nil }

    /// Space that is not available now is taken when the disk has more room.
    private func grow(from size: Int, to wanted: Int) {
        guard let path, wanted > size, (try? FileSystem.resize(path, to: wanted)) == nil else { return }
        try? FileSystem.resize(path, to: size)
    }
}
