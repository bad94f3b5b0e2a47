internal import Foundation

/// Writes small files that must never be found half written.
package enum DurableFile {
    /// Replaces a file's content, readable by its owner only. After a crash the file has either the old content or the
    /// new. Blocks until both the content and the name are on the disk.
    /// - Parameter isOnlyWriter: whether no other process writes the file meanwhile. Then the new content is written
    ///   under a fixed name first, so that the next call replaces what a killed process left there.
    /// - Throws: ``FileError`` if the folder cannot be written.
    package static func replace(
        _ path: String, with bytes: [UInt8], isOnlyWriter: Bool = false
    ) throws(FileError) {
        // A link stays in place, and its target is replaced.
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        try FileSystem.makeDirectory(target.deletingLastPathComponent().path)
        let partial = target.path + (isOnlyWriter ? ".partial" : ".\(UUID().uuidString).partial")
        if isOnlyWriter { FileSystem.remove(partial) }
        do throws(FileError) {
            try FileSystem.synchronizeAndClose(try FileSystem.create(partial, bytes), partial)
            try FileSystem.move(partial, to: target.path)
        } catch {
            FileSystem.remove(partial)
            // The temporary name would tell a person nothing.
            throw error.about(target.path)
        }
        try FileSystem.synchronizeDirectory(target.deletingLastPathComponent().path)
    }
}
