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
}
