import Base
import TestSupport
import Testing

@testable import Training

@Suite struct TrainingUploadTests {
    @Test func onlyTheFolderOfAnUploadThatIsOverCanBeALeftover() throws {
        let folder = try TemporaryFolder()
        var upload: TrainingUpload? = try TrainingUpload(id: .next(), in: folder.path, file: "photos.zip")
        upload?.keep()
        let path = try #require(upload?.folder)
        FileSystem.removeUnlockedDirectory(path)
        #expect(FileSystem.isDirectory(path))
        upload = nil
        FileSystem.removeUnlockedDirectory(path)
        #expect(!FileSystem.isDirectory(path))
    }

    @Test(.enabled(if: SmallFileSystem.obstacle == nil, "a file system has to be mounted"))
    func anUploadOfUnknownLengthLeavesRoomForScans() async throws {
        let folder = try TemporaryFolder()
        let disk = try SmallFileSystem(at: folder.path, megabytes: 48)
        defer { disk.unmount() }
        let upload = try TrainingUpload(id: .next(), in: folder.path, file: "photos.zip")
        await #expect(throws: FileError.self) {
            for _ in 0..<48 { try await upload.append([UInt8](repeating: 7, count: 1 << 20)) }
        }
        #expect(upload.count > 4 << 20)
        #expect(try #require(FileSystem.freeBytes(folder.path)) >= FileSystem.reserve)
        #expect(throws: FileError.self) {
            try TrainingUpload(id: .next(), in: folder.path, file: "photos.zip", expected: 1 << 20)
        }
    }
}
