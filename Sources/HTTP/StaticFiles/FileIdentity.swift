import Base
import Glibc

/// The values that tell one state of a file from another.
struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
    /// In bytes.
    let size: Int
    /// Modification time: seconds since the epoch, and nanoseconds.
    let modifiedSeconds: Int
    let modifiedNanoseconds: Int
    /// Time of the last change of content or metadata. No program can set it back.
    let changedSeconds: Int
    let changedNanoseconds: Int

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int(status.st_size)
        modifiedSeconds = Int(status.st_mtim.tv_sec)
        modifiedNanoseconds = Int(status.st_mtim.tv_nsec)
        changedSeconds = Int(status.st_ctim.tv_sec)
        changedNanoseconds = Int(status.st_ctim.tv_nsec)
    }

    /// The modification time, but never one in the future (RFC 9110 §8.8.2.1).
    var lastModified: HTTPDate { min(HTTPDate(secondsSinceEpoch: modifiedSeconds), .now) }

    /// The time since the last change, in nanoseconds.
    var age: Int { Int(KernelClock.sinceEpoch) - changedSeconds * 1_000_000_000 - changedNanoseconds }

    /// A tag made of size, modification time, inode and `suffix`.
    func entityTag(suffix: String = "") -> EntityTag {
        let time = modifiedSeconds &* 1_000_000_000 &+ modifiedNanoseconds
        let pieces = [UInt64(bitPattern: Int64(time)), UInt64(size), inode].map { String($0, radix: 36) }
        return EntityTag(pieces.joined(separator: "-") + suffix)
    }
}
