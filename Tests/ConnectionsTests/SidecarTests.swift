import Base
import Foundation
import TestSupport
import Testing

@testable import Connections

/// The choice of the sidecar, and bad sidecars.
@Suite struct SidecarTests {
    private static let tags = SidecarTags(tags: [PhotoTag(path: ["Animals", "Cats"], confidence: 0.9)])

    private func bytes(_ path: String) -> Data? { FileManager.default.contents(atPath: path) }

    @Test func theFileIsTheOneThatOthersLookFor() throws {
        let folder = try TemporaryFolder()
        for name in ["a.jpg", "b.jpg", "b.xmp", "c.jpg", "c.cr2", "c.xmp", "d.jpg", "d.jpg.xmp", "d.xmp"] {
            try folder.write([], name)
        }
        func name(_ photo: String) -> String {
            String(Sidecar(of: folder.path + "/" + photo).path.dropFirst(folder.path.count + 1))
        }
        #expect(name("a.jpg") == "a.jpg.xmp")
        #expect(name("b.jpg") == "b.xmp")
        // c.xmp may also belong to the raw picture.
        #expect(name("c.jpg") == "c.jpg.xmp")
        #expect(name("d.jpg") == "d.jpg.xmp")
    }

    @Test func aFileIsMadeLikeThePhotoAndGoesAgain() throws {
        let folder = try TemporaryFolder()
        try folder.write([1], "cat.jpg")
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: folder.path + "/cat.jpg")
        let sidecar = Sidecar(of: folder.path + "/cat.jpg")
        #expect(try sidecar.add(Self.tags, isDry: true) == .made)
        #expect(bytes(sidecar.path) == nil)
        #expect(try sidecar.add(Self.tags) == .made)
        let mode = try FileManager.default.attributesOfItem(atPath: sidecar.path)[.posixPermissions] as? Int
        #expect(mode == 0o644)
        #expect(try sidecar.add(Self.tags) == .unchanged)
        #expect(try sidecar.undo(isDry: true) == .removed)
        #expect(bytes(sidecar.path) != nil)
        #expect(try sidecar.undo() == .removed)
        #expect(try sidecar.undo() == .unchanged)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["cat.jpg"])
    }

    @Test(.enabled(if: SmallFileSystem.obstacle == nil, "a file system has to be mounted"))
    func whatCannotBeWrittenOrRemovedIsSaid() throws {
        let folder = try TemporaryFolder()
        let disk = try SmallFileSystem(at: folder.path, megabytes: 1)
        defer { disk.unmount() }
        for name in ["cat.jpg", "dog.jpg"] { try folder.write([1], name) }
        let sidecar = Sidecar(of: folder.path + "/cat.jpg")
        #expect(try sidecar.add(Self.tags) == .made)
        try disk.remount(readOnly: true)
        #expect(throws: FileError.readOnly(path: sidecar.path)) { try sidecar.undo() }
        #expect(bytes(sidecar.path) != nil)
        let other = Sidecar(of: folder.path + "/dog.jpg")
        #expect(throws: FileError.readOnly(path: other.path)) { try other.add(Self.tags) }
    }

    @Test func badFilesStayAsTheyAre() throws {
        let folder = try TemporaryFolder()
        try folder.write([1], "cat.jpg")
        let path = folder.path + "/cat.jpg.xmp"
        let sidecar = Sidecar(of: folder.path + "/cat.jpg")
        let empty = "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"/>"
        func refuses(_ error: (any Error)?) throws {
            let before = bytes(path)
            #expect(error != nil)
            #expect(bytes(path) == before)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
        }
        // The owner has made the file read-only.
        try folder.write(Array(empty.utf8), "cat.jpg.xmp")
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
        try refuses(#expect(throws: SidecarError.readOnly) { try sidecar.add(Self.tags) })
        try FileManager.default.removeItem(atPath: path)
        // The file ends in the middle.
        try folder.write(Array(empty.utf8.dropLast(3)), "cat.jpg.xmp")
        try refuses(#expect(throws: SidecarError.self) { try sidecar.add(Self.tags) })
        try refuses(#expect(throws: SidecarError.self) { try sidecar.undo() })
        // The file has 50 MB.
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.truncate(atOffset: 50 << 20)
        try refuses(#expect(throws: SidecarError.tooLarge(bytes: 50 << 20)) { try sidecar.add(Self.tags) })
        try FileManager.default.removeItem(atPath: path)
        // A link to another file, and a folder.
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/etc/hostname")
        try refuses(#expect(throws: SidecarError.noFile) { try sidecar.add(Self.tags) })
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try refuses(#expect(throws: SidecarError.noFile) { try sidecar.add(Self.tags) })
    }

    /// A killed run leaves the beginning of a file, which the next run replaces or `undo` removes. What another run is
    /// writing stays.
    @Test func whatAKilledRunLeftGoes() throws {
        let folder = try TemporaryFolder()
        try folder.write([1], "cat.jpg")
        let partial = folder.path + "/cat.jpg.xmp.partial"
        let sidecar = Sidecar(of: folder.path + "/cat.jpg")
        try folder.write([1, 2, 3], "cat.jpg.xmp.partial")
        #expect(try sidecar.undo(isDry: true) == .unchanged)
        #expect(bytes(partial) != nil)
        #expect(try sidecar.undo() == .unchanged)
        #expect(bytes(partial) == nil)
        try folder.write([1, 2, 3], "cat.jpg.xmp.partial")
        do {
            let other = try #require(try FileSystem.openIfPresent(partial))
            defer { FileSystem.closeDescriptor(other) }
            #expect(FileSystem.lock(other))
            #expect(throws: SidecarError.changedMeanwhile) { try sidecar.add(Self.tags) }
            #expect(bytes(partial) == Data([1, 2, 3]))
        }
        #expect(try sidecar.add(Self.tags) == .made)
        #expect(FileSystem.names(in: folder.path).sorted() == ["cat.jpg", "cat.jpg.xmp"])
    }
}
