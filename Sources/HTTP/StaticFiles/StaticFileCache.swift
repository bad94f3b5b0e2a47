import Base

/// A file's content in memory, with its gzip form if that is smaller.
struct CachedFile: Sendable {
    let identity: FileIdentity
    let plain: Representation
    let gzip: Representation?

    /// In bytes.
    var size: Int { plain.content.count + (gzip?.content.count ?? 0) }
}

/// Small files in memory, up to a number of bytes. The least recently used go first.
final class StaticFileCache: Sendable {
    private struct Entry {
        let file: CachedFile
        var lastUse: Int
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var bytes = 0
        var clock = 0
    }

    private let capacity: Int
    private let state = Locked(State())

    /// - Parameter capacity: the largest sum of the files' sizes, in bytes.
    init(capacity: Int) {
        self.capacity = capacity
    }

    subscript(_ path: String) -> CachedFile? {
        state.withLock { state in
            guard var entry = state.entries[path] else { return nil }
            state.clock += 1
            entry.lastUse = state.clock
            state.entries[path] = entry
            return entry.file
        }
    }

    func insert(_ file: CachedFile, for path: String) {
        guard file.size <= capacity else { return }
        state.withLock { state in
            state.clock += 1
            if let old = state.entries.updateValue(Entry(file: file, lastUse: state.clock), forKey: path) {
                state.bytes -= old.file.size
            }
            state.bytes += file.size
            while state.bytes > capacity, let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
                state.bytes -= oldest.value.file.size
                state.entries[oldest.key] = nil
            }
        }
    }

    func remove(_ path: String) {
        state.withLock { state in
            if let old = state.entries.removeValue(forKey: path) { state.bytes -= old.file.size }
        }
    }

    /// The sum of the files' sizes, in bytes.
    var bytes: Int { state.withLock { $0.bytes } }
}
