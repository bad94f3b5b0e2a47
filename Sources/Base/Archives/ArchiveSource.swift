package protocol ArchiveSource: Sendable {
    /// The size in bytes.
    var count: Int { get }

    /// Reads `count` bytes, or fewer if the archive ends earlier.
    /// - Parameter position: 0 or more.
    func bytes(at position: Int, count: Int) async throws -> [UInt8]
}
