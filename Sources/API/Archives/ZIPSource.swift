import History

/// Where the bytes of an archive lie.
protocol ZIPSource: Sendable {
    /// In bytes.
    var count: Int { get }

    /// So many bytes, or fewer where it ends before.
    /// - Parameter position: not negative.
    func bytes(at position: Int, count: Int) async throws -> [UInt8]
}

extension SpooledFile: ZIPSource {}
