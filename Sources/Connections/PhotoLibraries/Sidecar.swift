import Base
import Foundation

/// The XMP file beside a photo. It is replaced as a whole or not at all.
package struct Sidecar: Sendable {
    /// Bytes of the largest sidecar that is read.
    package static let maximumBytes = 16 << 20

    /// Of the photo that it belongs to.
    let photo: String
    package let path: String

    /// What was done, or would be.
    package enum Outcome: Sendable, Equatable {
        case made, changed, removed
        /// There was nothing to do.
        case unchanged
    }

    /// Finds the sidecar of a photo: `photo.jpg.xmp`, or `photo.xmp` where that is there and no other picture has the name;
    /// where there is neither, the first is the one to make.
    package init(of photo: String) {
        self.photo = photo
        let long = photo + ".xmp"
        let short = (photo as NSString).deletingPathExtension + ".xmp"
        let folder = (photo as NSString).deletingLastPathComponent
        func isThere(_ path: String) -> Bool { (try? FileManager.default.attributesOfItem(atPath: path)) != nil }
        let stem = ((photo as NSString).lastPathComponent as NSString).deletingPathExtension
        let isShared = FileSystem.names(in: folder.isEmpty ? "." : folder).contains { name in
            name != (photo as NSString).lastPathComponent && (name as NSString).deletingPathExtension == stem
                && (name as NSString).pathExtension.lowercased() != "xmp"
        }
        path = !isThere(long) && isThere(short) && !isShared ? short : long
    }

    /// Adds keywords and regions, in place of what an earlier run added.
    ///
    /// - Parameter isDry: whether nothing is written.
    /// - Throws: ``SidecarError``, ``XMPError``, `FileError`; then the file is as it was.
    package func add(_ tags: SidecarTags, isDry: Bool = false) throws -> Outcome {
        let old = try read()
        var packet = try old.map { try XMPPacket($0.bytes) } ?? XMPPacket()
        let before = packet.bytes
        try packet.add(tags)
        guard packet.bytes != before else { return .unchanged }
        if !isDry { try write(packet.bytes, over: old) }
        return old == nil ? .made : .changed
    }

    /// Takes back what was added, and removes a file that was made for it.
    ///
    /// - Throws: as ``add(_:isDry:)``.
    package func undo(isDry: Bool = false) throws -> Outcome {
        guard let old = try read() else { return .unchanged }
        var packet = try XMPPacket(old.bytes)
        guard packet.hasNotes else { return .unchanged }
        if packet.undo() {
            if !isDry { FileSystem.remove(path) }
            return .removed
        }
        if !isDry { try write(packet.bytes, over: old) }
        return .changed
    }

    private struct Content {
        let bytes: [UInt8]
        let attributes: [FileAttributeKey: Any]
    }

    /// nil where there is none.
    private func read() throws -> Content? {
        // A link is not followed: what it leads to may be another photo's.
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return nil }
        guard attributes[.type] as? FileAttributeType == .typeRegular else { throw SidecarError.noFile }
        let size = attributes[.size] as? Int ?? 0
        guard size <= Self.maximumBytes else { throw SidecarError.tooLarge(bytes: size) }
        guard (attributes[.posixPermissions] as? Int ?? 0) & 0o222 != 0 else { throw SidecarError.readOnly }
        guard let bytes = try FileSystem.load(path, limit: Self.maximumBytes) else { return nil }
        return Content(bytes: bytes, attributes: attributes)
    }

    private func write(_ bytes: [UInt8], over old: Content?) throws {
        let partial = path + ".\(UUID().uuidString).partial"
        do {
            let descriptor = try FileSystem.create(partial, bytes)
            // A new one is for those who may read the photo.
            let likeness = try old?.attributes ?? FileManager.default.attributesOfItem(atPath: photo)
            var mode = likeness[.posixPermissions] as? Int ?? 0o644
            if old == nil { mode = mode & 0o666 | 0o200 }
            try? FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: partial)
            if let owner = likeness[.ownerAccountID], let group = likeness[.groupOwnerAccountID] {
                // Only root may give files away; where that fails the file is the user's own.
                try? FileManager.default.setAttributes(
                    [.ownerAccountID: owner, .groupOwnerAccountID: group], ofItemAtPath: partial)
            }
            try FileSystem.synchronizeAndClose(descriptor, partial)
            // Another program may have written meanwhile, and its words are not to be lost.
            let now = try FileSystem.load(path, limit: Self.maximumBytes)
            guard now == old?.bytes else { throw SidecarError.changedMeanwhile }
            try FileSystem.move(partial, to: path)
        } catch {
            FileSystem.remove(partial)
            throw error
        }
    }
}

/// Why a sidecar is left as it is.
package enum SidecarError: Error, Equatable, CustomStringConvertible {
    case readOnly
    case tooLarge(bytes: Int)
    /// A folder, a link or a device has its name.
    case noFile
    case changedMeanwhile

    package var description: String {
        switch self {
        case .readOnly: "it is read-only"
        case .tooLarge(let bytes): "it has \(bytes) bytes; at most \(Sidecar.maximumBytes) are read"
        case .noFile: "it is no plain file"
        case .changedMeanwhile: "another program wrote to it meanwhile"
        }
    }
}
