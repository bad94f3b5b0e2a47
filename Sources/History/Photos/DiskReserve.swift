internal import Base

/// Bytes of the disk that are kept for deleting, opening and closing: a file that says nothing.
///
/// A database writes before it frees. Where the disk is full, the file is emptied for the time of such a write and takes
/// its bytes back before anybody else is served, so that a full disk can always be emptied by what fills it.
final class DiskReserve: Sendable {
    /// In bytes: what the write-ahead log holds before it goes to the database, twice.
    static let size = 8 << 20

    /// nil: nothing is kept.
    private let directory: String?
    private let turn = Locked(())

    init(in directory: String?) {
        self.directory = directory
    }

    /// Has the file become as large as it should be. It takes a sixteenth of what is free at most. Blocks.
    func fill() {
        turn.withLock { _ in
            let (size, free) = (currentSize, freeBytes)
            grow(from: size, to: min(Self.size, (size + free) / 16))
        }
    }

    /// Runs the body, and once more with the reserve's bytes free where the disk was full. Blocks.
    func backing<Value: Sendable>(_ body: () throws(HistoryError) -> Value) throws(HistoryError) -> Value {
        let outcome = turn.withLock { _ in
            Result { () throws(HistoryError) in
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
        return try outcome.get()
    }

    private var path: String? { directory.map { $0 + "/reserve" } }
    private var currentSize: Int { path.flatMap { FileSystem.attributes($0)?.size } ?? 0 }
    private var freeBytes: Int { directory.flatMap { FileSystem.freeBytes($0) } ?? 0 }

    private func shrink() -> Bool { path.flatMap { try? FileSystem.resize($0, to: 0) } != nil }

    /// What cannot be had now is taken when there is more room.
    private func grow(from size: Int, to wanted: Int) {
        guard let path, wanted > size, (try? FileSystem.resize(path, to: wanted)) == nil else { return }
        try? FileSystem.resize(path, to: size)
    }
}
