internal import Base

/// Tells the replicas that share a database apart, by the folders that they keep their own files in: what a replica begins
/// anew on the folder of another one is that one's.
enum ReplicaIdentity {
    /// The identity of the folder, which gets one if it has none. Blocks.
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
