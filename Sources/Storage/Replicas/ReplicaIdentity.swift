internal import Base

/// Identifies the replicas that share a database by the folders with their own files. A replica that restarts on
/// another one's folder takes over its identity.
enum ReplicaIdentity {
    /// The identity of the folder, created if absent. Blocks.
    static func of(_ directory: String) throws(HistoryError) -> ULID {
        let path = directory + "/replica"
        try onDisk(FileSystem.makeDirectory(directory))
        if let known = try read(path) { return known }
        try onDisk(DurableFile.replace(path, with: Array(ULID.next().description.utf8)))
        guard let identity = try read(path) else {
            throw .unavailable("\(path) does not hold the identity of a replica: remove it")
        }
        return identity
    }

    private static func read(_ path: String) throws(HistoryError) -> ULID? {
        try onDisk(FileSystem.load(path, limit: 64)).flatMap { ULID(String(decoding: $0, as: UTF8.self)) }
    }
}
