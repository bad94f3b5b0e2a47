import Base
import Foundation
import TestSupport
import Testing

@testable import Menagerie

@Suite struct StateLogTests {
    @Test func aLogThatIsTooLargeGoesOnInANewFileForAllServicesThatShareIt() throws {
        let folder = try TemporaryFolder()
        let services = try (0..<2).map { _ in
            try StateLog(environment: ["XDG_STATE_HOME": folder.path], fallback: folder.path)
        }
        let path = services[0].path
        #expect(ftruncate(services[0].descriptor, off_t(StateLog.rotationBytes - 1)) == 0)
        for service in services {
            StateLog.renew(path, descriptors: [service.descriptor])
            #expect(write(service.descriptor, "x", 1) == 1)
        }
        #expect(!FileManager.default.fileExists(atPath: path + ".1"))
        for service in services {
            StateLog.renew(path, descriptors: [service.descriptor])
            #expect(write(service.descriptor, "x", 1) == 1)
        }
        #expect(FileSystem.attributes(path)?.size == 2)
        #expect(FileSystem.attributes(path + ".1")?.size == StateLog.rotationBytes + 1)
        for service in services { close(service.descriptor) }
    }
}
