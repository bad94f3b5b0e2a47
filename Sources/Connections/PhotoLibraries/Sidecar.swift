import Base
import Foundation
import Imaging

/// The XMP file beside a photo. A change replaces the whole file or nothing.
package struct Sidecar: Sendable {
    /// The largest readable sidecar in bytes.
    package static let maximumBytes = 16 << 20

    let photo: String
    package let path: String

    /// The change that was made, or that a dry run would make.
    package enum Outcome: Sendable, Equatable {
        case made, changed, removed
        case unchanged
    }

    /// Finds a photo's sidecar. It is `photo.jpg.xmp`, also for a new file. It is `photo.xmp` only if that file exists
    /// alone and no other picture has the same base name.
    package init(of photo: String) {
        self.photo = photo
        let (long, short) = (photo + ".xmp", (photo as NSString).deletingPathExtension + ".xmp")
        func isThere(_ path: String) -> Bool { (try? FileManager.default.attributesOfItem(atPath: path)) != nil }
        // Listing the folder for each photo of a large folder would take hours.
        path = !isThere(long) && isThere(short) && !Self.sharesName(photo) ? short : long
    }

    /// Whether another picture in the photo's folder has the same base name.
    private static func sharesName(_ photo: String) -> Bool {
        let (folder, own) = ((photo as NSString).deletingLastPathComponent, (photo as NSString).lastPathComponent)
        let stem = (own as NSString).deletingPathExtension
        return FileSystem.names(in: folder.isEmpty ? "." : folder).contains { name in
            name != own && name.hasPrefix(stem) && (name as NSString).deletingPathExtension == stem
                && (name as NSString).pathExtension.lowercased() != "xmp"
        }
    }

    /// Adds keywords and regions, and removes those that an earlier run added.
    ///
    /// - Parameter isDry: whether to write nothing.
    /// - Throws: ``SidecarError``, `FileError`. The file is then unchanged.
    package func add(_ tags: SidecarTags, isDry: Bool = false) throws -> Outcome {
        let old = try read()
        var packet = try old.map { try XMPPacket($0.bytes) } ?? XMPPacket()
        let before = packet.bytes
        try packet.add(tags)
        guard packet.bytes != before else { return .unchanged }
        if !isDry { try write(packet.bytes, over: old) }
        return old == nil ? .made : .changed
    }

    /// Removes everything that was added, and deletes a file that was created for it.
    ///
    /// - Throws: the same errors as ``add(_:isDry:)``.
    package func undo(isDry: Bool = false) throws -> Outcome {
        if !isDry { removeLeftover() }
        guard let old = try read() else { return .unchanged }
        var packet = try XMPPacket(old.bytes)
        guard packet.hasNotes else { return .unchanged }
        if packet.undo() {
            if !isDry { try FileSystem.delete(path) }
            return .removed
        }
        if !isDry { try write(packet.bytes, over: old) }
        return .changed
    }

    private struct Content {
        let bytes: [UInt8]
        let attributes: [FileAttributeKey: Any]
    }

    /// Nil if the file does not exist.
    private func read() throws -> Content? {
        // A link is not followed, since it may lead to another photo's file.
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return nil }
        guard attributes[.type] as? FileAttributeType == .typeRegular else { throw SidecarError.noFile }
        let size = attributes[.size] as? Int ?? 0
        guard size <= Self.maximumBytes else { throw SidecarError.tooLarge(bytes: size) }
        guard (attributes[.posixPermissions] as? Int ?? 0) & 0o222 != 0 else { throw SidecarError.readOnly }
        guard let bytes = try FileSystem.load(path, limit: Self.maximumBytes) else { return nil }
        return Content(bytes: bytes, attributes: attributes)
    }

    /// The name of a new file until it is complete.
    private var partial: String { path + ".partial" }

    /// Removes what a killed run left. What another run is writing stays: its lock shows it, or where a file system has
    /// no locks, its age.
    private func removeLeftover() {
        guard let left = try? FileSystem.openIfPresent(partial) else { return }
        defer { FileSystem.closeDescriptor(left) }
        let modified = FileSystem.attributes(partial)?.modified ?? 0
        guard FileSystem.lock(left) || Date().timeIntervalSince1970 - Double(modified) > 60 else { return }
        FileSystem.remove(partial)
    }

    private func write(_ bytes: [UInt8], over old: Content?) throws {
        removeLeftover()
        do {
            guard let descriptor = try FileSystem.createIfAbsent(partial, bytes) else {
                throw SidecarError.changedMeanwhile
            }
            defer { FileSystem.closeDescriptor(descriptor) }
            _ = FileSystem.lock(descriptor)
            try publish(descriptor, over: old)
        } catch {
            // The temporary name would tell a person nothing.
            throw (error as? FileError)?.about(path) ?? error
        }
    }

    /// Gives a new file the rights of the old one, and its name.
    private func publish(_ descriptor: Int32, over old: Content?) throws {
        do {
            // A new file takes the photo's permissions.
            let likeness = try old?.attributes ?? FileManager.default.attributesOfItem(atPath: photo)
            var mode = likeness[.posixPermissions] as? Int ?? 0o644
            if old == nil { mode = mode & 0o666 | 0o200 }
            try? FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: partial)
            if let owner = likeness[.ownerAccountID], let group = likeness[.groupOwnerAccountID] {
                // Only root may change a file's owner. For other users the new file is their own.
                try? FileManager.default.setAttributes(
                    [.ownerAccountID: owner, .groupOwnerAccountID: group], ofItemAtPath: partial)
            }
            try FileSystem.synchronize(descriptor, partial)
            // Another program may have written meanwhile. Its changes must not be lost.
            let now = try FileSystem.load(path, limit: Self.maximumBytes)
            guard now == old?.bytes else { throw SidecarError.changedMeanwhile }
            try FileSystem.move(partial, to: path)
        } catch {
            FileSystem.remove(partial)
            throw error
        }
    }
}

/// The reason why a sidecar was left unchanged.
package enum SidecarError: Error, Equatable, CustomStringConvertible {
    case readOnly
    case tooLarge(bytes: Int)
    /// The path belongs to a folder, a link or a device.
    case noFile
    case changedMeanwhile
    case notUTF8
    case malformed(String)
    /// The XML lacks the element with the photo's metadata.
    case noRDF
    /// A property for keywords does not hold a list.
    case unexpected(String)

    package var description: String {
        switch self {
        case .readOnly: "it is read-only"
        case .tooLarge(let bytes): "it has \(bytes) bytes; at most \(Sidecar.maximumBytes) are read"
        case .noFile: "it is not a plain file"
        case .changedMeanwhile: "another program wrote to it meanwhile"
        case .notUTF8: "it is not UTF-8"
        case .malformed(let fault): "it is not XML, \(fault)"
        case .noRDF: "it has no rdf:RDF, so it is not XMP"
        case .unexpected(let name): "its \(name) is not a list"
        }
    }
}

/// The additions for a sidecar: keywords, and the places of animals with names.
package struct SidecarTags: Sendable, Equatable {
    package let tags: [PhotoTag]
    var regions: [XMPRegion] = []
    /// The size of the stored picture, in pixels.
    var width = 0
    var height = 0
}

extension SidecarTags {
    /// - Parameter certainty: the least confidence for an animal's own name, 0…1.
    package init(_ seen: SeenPhoto, tags: [PhotoTag], certainty: Double) {
        self.tags = tags
        width = seen.image.storedWidth
        height = seen.image.storedHeight
        // Only animals with names have regions, since readers treat every named region as a person.
        regions = seen.things.compactMap { thing in
            guard let individual = thing.individual, Double(individual.confidence) >= certainty else { return nil }
            let region = seen.image.orientation.stored(thing.region)
            return XMPRegion(
                name: individual.label, x: region.centreX, y: region.centreY, width: region.width,
                height: region.height)
        }
    }
}
