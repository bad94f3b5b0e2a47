/// Where the bytes of an archive lie.
package protocol ArchiveSource: Sendable {
    /// In bytes.
    var count: Int { get }

    /// So many bytes, or fewer where it ends before.
    /// - Parameter position: not negative.
    func bytes(at position: Int, count: Int) async throws -> [UInt8]
}
