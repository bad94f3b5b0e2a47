import Base
import Foundation
import TestSupport
import Testing

@Suite("Helper processes") struct HelperProcessTests {
    private func start(_ script: String) throws -> HelperProcess {
        try HelperProcess(HelperProgram(path: "/bin/sh"), ["-c", script], descriptors: [(nil, 0)])
    }

    /// Whether the process is gone and was waited for. A zombie still has its number.
    private func isGone(_ process: Int32) -> Bool { kill(process, 0) == -1 && errno == ESRCH }

    @Test func aHelperThatEndsByItselfKeepsItsStatus() throws {
        let helper = try start("printf ab; exit 7")
        let process = try #require(helper.identifier)
        #expect(try helper.read(3, patience: 30) == Array("ab".utf8))
        #expect(helper.end() == .status(7))
        #expect(helper.end() == nil && helper.identifier == nil)
        #expect(isGone(process))
    }

    /// A service with many connections has descriptors of any number.
    @Test func descriptorsOfAnyNumberReachAHelper() throws {
        let (file, other) = (open("/dev/zero", O_RDONLY | O_CLOEXEC), open("/dev/null", O_RDONLY | O_CLOEXEC))
        let numbers = [100, 101, 200, 201, 203].map { fcntl(file, F_DUPFD_CLOEXEC, CInt($0)) }
        defer { for number in numbers + [file, other] { close(number) } }
        for number in numbers {
            let helper = try HelperProcess(
                HelperProgram(path: "/bin/sh"), ["-c", "readlink /proc/self/fd/4"],
                descriptors: [(nil, 0), (other, 3), (number, 4)])
            #expect(try helper.read(9, patience: 30) == Array("/dev/zero".utf8))
            _ = helper.end()
        }
    }

    @Test func aHelperThatGoesOnIsKilled() throws {
        let helper = try start("exec sleep 600")
        let process = try #require(helper.identifier)
        #expect(helper.end() == .signal(SIGKILL))
        #expect(isGone(process))
    }

    @Test func aHelperIsCancelledBesideItsEnd() async throws {
        let helper = try start("exec sleep 600")
        async let ending = Task.detached { helper.end() }.value
        helper.cancel()
        #expect(await ending == .signal(SIGKILL))
        #expect(helper.isCancelled && helper.identifier == nil)
    }

    @Test func aHelperThatNobodyEndsIsKilledAndWaitedFor() async throws {
        var helper: HelperProcess? = try start("exec sleep 600")
        let process = try #require(helper?.identifier)
        helper = nil
        try await eventually { isGone(process) }
    }
}
