import API
import Foundation
import HTTP
import Logging
import Security
import TestSupport
import Testing

@testable import Menagerie

/// Allowed addresses for the service, depending on its keys.
@Suite struct ListeningTests {
    private let folder: TemporaryFolder
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func options(_ flags: [String: String]) async throws -> AccessControl.Options {
        try await AccessControl.Options(
            Settings(flags: ["history.data_directory": folder.path].merging(flags) { _, own in own }), logger: logger)
    }

    @Test(arguments: ["0.0.0.0", "::", "192.0.2.1", "2001:db8::1"])
    func whereOthersReachItNobodyListensWithoutKeys(host: String) async throws {
        let error = await #expect(throws: SettingsError.self) { try await options(["http.host": host]) }
        for word in ["security.keys", "security.open", "menagerie keys add", host] {
            #expect(error?.description.contains(word) == true, "\(word)")
        }
        let open = try await options(["http.host": host, "security.open": "true"])
        #expect(open.keys == nil && open.requestsPerMinute == 6000)
        _ = try await KeyFile(path: folder.path + "/keys.json").add("a", role: .reader)
        #expect(try await options(["http.host": host]).keys?.keys.count == 1)
    }

    @Test(arguments: ["", " ", "300.1.1.1", "localhost:80", "no-such-host.invalid"])
    func aHostThatIsNoneSaysWhatWouldBeRight(host: String) async throws {
        let error = await #expect(throws: SettingsError.self) { try await options(["http.host": host]) }
        let words = "http.host is \"\(host)\", but has to be an address"
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("127.0.0.1") == true)
    }

    @Test(arguments: [
        ["http.host": "127.0.0.1"], ["http.host": "::1"], ["http.host": "localhost"], ["http.host": "127.1.2.3"],
        ["http.host": "0.0.0.0", "http.unix_socket": "/tmp/x"],
    ])
    func onThisMachineNoKeysAreNeededAndNothingIsLimited(flags: [String: String]) async throws {
        let options = try await options(flags)
        #expect(options.keys == nil && options.requestsPerMinute == nil)
        let limited = try await self.options(flags.merging(["security.requests_per_minute": "6000"]) { $1 })
        #expect(limited.requestsPerMinute == 6000)
    }

    @Test func keysHoldOnThisMachineToo() async throws {
        _ = try await KeyFile(path: folder.path + "/keys.json").add("a", role: .reader)
        let options = try await options([:])
        #expect(options.keys != nil && options.requestsPerMinute == 6000 && options.wrongKeysPerMinute == 10)
        #expect(try await self.options(["security.open": "true"]).keys != nil)
        #expect(try await self.options(["security.requests_per_minute": "0"]).requestsPerMinute == nil)
    }

    @Test func aFileOfKeysThatIsMissingOrBrokenStopsTheStart() async throws {
        let path = folder.path + "/none.json"
        let missing = await #expect(throws: SettingsError.self) { try await options(["security.keys": path]) }
        #expect(missing?.description.contains(path) == true && missing?.description.contains("security.keys") == true)
        try folder.write(Array("{".utf8), "none.json")
        await #expect(throws: KeyError.self) { try await options(["security.keys": path]) }
        await #expect(throws: KeyError.self) { try await options(["security.keys": path, "security.open": "true"]) }
    }

    @Test func anEmptyFileOfKeysLetsNobodyIn() async throws {
        let file = KeyFile(path: folder.path + "/keys.json")
        _ = try await file.add("a", role: .admin)
        try await file.remove("a")
        #expect(try await options(["http.host": "0.0.0.0"]).keys?.keys.isEmpty == true)
    }

    @Test func theFirstKeyIsMadeWhereItIsAskedForAndNotWhereEverybodyMayEnter() async throws {
        let flags = ["http.host": "0.0.0.0", "security.create_key": "true"]
        #expect(try await options(flags.merging(["security.open": "true"]) { $1 }).keys == nil)
        #expect(!KeyFile(path: folder.path + "/keys.json").exists)
        #expect(try await options(flags).keys?.keys.map(\.role) == [.admin])
        #expect(try await options(flags).keys?.keys.count == 1)
    }

    @Test func keysLieInTheDataDirectoryUnlessTheyAreSaidToLieElsewhere() throws {
        // Without a configured folder it is the platform's, never the root folder.
        #expect(try KeyFile(Settings()).path == DataDirectory(Settings()).path + "/keys.json")
        #expect(try KeyFile(Settings(flags: ["history.data_directory": "/zoo"])).path == "/zoo/keys.json")
        #expect(try KeyFile(Settings(flags: ["security.keys": "/k.json"])).path == "/k.json")
    }

    @Test func hostsOfTheSettingsAreAllowed() throws {
        func hosts(_ flags: [String: String]) throws -> AllowedHosts { try AllowedHosts(Settings(flags: flags)) }
        #expect(try !hosts([:]).permits("zoo.example"))
        #expect(try hosts(["http.allowed_hosts": "a.example, *.zoo.test"]).permits("b.zoo.test"))
        #expect(try hosts(["http.host": "zoo.example"]).permits("zoo.example:80"))
        let error = #expect(throws: SettingsError.self) { try hosts(["http.allowed_hosts": "https://zoo.example"]) }
        #expect(error?.description.contains("http.allowed_hosts") == true)
    }
}
