import Foundation
import TestSupport
import Testing

@testable import Menagerie

@Suite struct PIDFileTests {
    @Test(.enabled(if: SmallFileSystem.obstacle == nil)) func theNextServiceIsFoundOnAFullDisk() throws {
        let folder = try TemporaryFolder()
        let disk = try SmallFileSystem(at: folder.path, megabytes: 1)
        defer { disk.unmount() }
        try PIDFile(in: folder.path).clear()
        SmallFileSystem.fill(folder.path + "/full")
        let file = try PIDFile(in: folder.path)
        file.write(urls: ["http://127.0.0.1:8080/"], log: nil)
        let text = try String(contentsOfFile: "\(folder.path)/\(PIDFile.name)", encoding: .utf8)
        #expect(text.hasSuffix("\n\nhttp://127.0.0.1:8080/\n"), "\(text)")
    }
}
