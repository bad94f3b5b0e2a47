import Base
import Foundation
import Testing

@Suite struct FileTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "files-\(UUID().uuidString)").path

    private func withFolder(_ body: () throws -> Void) throws {
        try FileSystem.makeDirectory(folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body()
    }

    private func rights(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test func aReplacedFileIsItsOwnersAndLeavesNothingBeside() throws {
        try withFolder {
            let path = folder + "/below/state.json"
            try DurableFile.replace(path, with: Array("old".utf8))
            try DurableFile.replace(path, with: Array("new".utf8))
            #expect(try FileSystem.load(path, limit: 3) == Array("new".utf8))
            #expect(try rights(path) == 0o600 && rights(folder + "/below") == 0o700)
            #expect(FileSystem.names(in: folder + "/below") == ["state.json"])
        }
    }

    @Test func aLinkStaysALink() throws {
        try withFolder {
            let (target, link) = (folder + "/target", folder + "/link")
            try DurableFile.replace(target, with: [1])
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
            try DurableFile.replace(link, with: [2])
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == target)
            #expect(try FileSystem.load(target, limit: 1) == [2])
        }
    }

    @Test func whatCannotBeReplacedStaysAsItWas() throws {
        try withFolder {
            // A folder has the file's name, so the finished file cannot be moved there.
            let path = folder + "/taken"
            try FileSystem.makeDirectory(path + "/inside")
            #expect(throws: FileError.self) { try DurableFile.replace(path, with: [1]) }
            #expect(FileSystem.isDirectory(path + "/inside"))
            #expect(FileSystem.names(in: folder) == ["taken"])
        }
    }

    /// The name has room for itself in a folder, but not for the ending of a temporary file.
    @Test func theErrorOfAReplacementNamesTheFileItself() throws {
        try withFolder {
            let path = folder + "/" + String(repeating: "a", count: 240)
            #expect(throws: FileError.failed(path: path, code: ENAMETOOLONG)) {
                try DurableFile.replace(path, with: [1])
            }
        }
    }

    @Test func theOnlyWriterReplacesWhatAKilledProcessLeft() throws {
        try withFolder {
            try DurableFile.replace(folder + "/results.partial", with: [1])
            try DurableFile.replace(folder + "/results", with: [2], isOnlyWriter: true)
            #expect(FileSystem.names(in: folder) == ["results"])
        }
    }

    @Test func errorsNameThePathAndWhatIsWrong() throws {
        try withFolder {
            let path = folder + "/file"
            #expect(try FileSystem.load(path, limit: 10) == nil)
            try DurableFile.replace(path, with: [1, 2, 3])
            #expect(throws: FileError.tooLarge(path: path, bytes: 3, limit: 2)) { try FileSystem.load(path, limit: 2) }
            #expect(throws: FileError.failed(path: path, code: EEXIST)) { try FileSystem.create(path, []) }
            #expect(FileError.failed(path: path, code: EEXIST).description == "\(path): File exists")
            #expect(throws: FileError.failed(path: path + "/below", code: ENOTDIR)) {
                try FileSystem.makeDirectory(path + "/below")
            }
        }
    }

    @Test(arguments: ["/dev/shm", FileManager.default.temporaryDirectory.path])
    func aPipeInAFolderOfFilesMayBlock(parent: String) throws {
        let pipe = "\(parent)/pipe-\(UUID().uuidString)"
        try #require(mkfifo(pipe, 0o600) == 0)
        defer { unlink(pipe) }
        #expect(FileSystem.mayBlock(pipe))
    }
}
