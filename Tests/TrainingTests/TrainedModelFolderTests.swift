import Base
import Foundation
import Glibc
import Testing
import Training

@Suite("The folder of trained models") struct TrainedModelFolderTests {
    @Test func `a start removes what an interrupted training left, and nothing that is being written`() throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "trained-\(ULID.next())").path
        defer { try? FileManager.default.removeItem(atPath: root) }
        for name in ["left", "written"] { try DurableFile.replace("\(root)/.training/\(name)/model.onnx", with: [1]) }
        let writer = open("\(root)/.training/written", O_RDONLY | O_DIRECTORY)
        #expect(flock(writer, LOCK_EX) == 0)
        TrainedModelFolder(root: root).removeLeftovers()
        #expect(try FileManager.default.contentsOfDirectory(atPath: root + "/.training") == ["written"])
        close(writer)
        TrainedModelFolder(root: root).removeLeftovers()
        #expect(try FileManager.default.contentsOfDirectory(atPath: root + "/.training") == [])
    }

    @Test func `the last version that is removed leaves nothing, and files of others stay`() throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "trained-\(ULID.next())").path
        defer { try? FileManager.default.removeItem(atPath: root) }
        for file in ["1/manifest.json", "2/manifest.json", "deployment.json", "attached.json"] {
            for name in ["shapes", "noted"] { try DurableFile.replace("\(root)/\(name)/\(file)", with: [1]) }
        }
        for file in ["noted/notes.txt", "shapes/deployment.json.A1.partial"] {
            try DurableFile.replace("\(root)/\(file)", with: [1])
        }
        let folder = TrainedModelFolder(root: root)
        try folder.remove("shapes", "2")
        #expect(FileSystem.names(in: root + "/shapes").count == 4)
        for (name, version) in [("shapes", "1"), ("noted", "1"), ("noted", "2")] { try folder.remove(name, version) }
        #expect(Set(FileSystem.names(in: root)) == ["noted", ".training"])
        #expect(Set(FileSystem.names(in: root + "/noted")) == ["notes.txt", "deployment.json", "attached.json"])
    }
}
