import Foundation
import TestSupport
import Testing

@testable import Security

@Suite struct KeyFileTests {
    private let folder: TemporaryFolder
    private let file: KeyFile

    init() throws {
        folder = try TemporaryFolder()
        file = KeyFile(path: folder.path + "/deep/keys.json")
    }

    private func text() throws -> String { try String(contentsOfFile: file.path, encoding: .utf8) }

    private func digest(_ secret: String) -> KeyDigest {
        Array(secret.utf8).withUnsafeBytes { KeyDigest(of: $0) }
    }

    @Test func aKeyIsRecognisedAndStandsInNoFile() async throws {
        let secret = try await file.add("phone", role: .user)
        #expect(secret.hasPrefix("menagerie_") && secret.utf8.count == 10 + 43)
        #expect(try !text().contains(secret) && !text().contains(secret.dropFirst(10)))
        let store = try await KeyStore(file)
        let key = try #require(store.key(of: digest(secret)))
        #expect(key.name == "phone" && key.role == .user)
        #expect(store.key(of: digest(secret + "x")) == nil)
        #expect(store.key(of: digest(String(secret.dropLast()))) == nil)
        #expect(store.key(of: digest("")) == nil)
    }

    @Test func aPipeInThePlaceOfTheFileIsRefused() throws {
        #expect(mkfifo(folder.path + "/keys.json", 0o600) == 0)
        #expect(throws: KeyError.self) { try KeyFile(path: folder.path + "/keys.json").read() }
    }

    @Test func twoKeysHaveNothingInCommon() async throws {
        var keys: [String] = []
        for number in 0..<50 { keys.append(try await file.add("key \(number)", role: .reader)) }
        #expect(Set(keys).count == 50)
        #expect(try await file.load().map(\.name) == (0..<50).map { "key \($0)" })
    }

    @Test func onlyItsOwnerReadsIt() async throws {
        _ = try await file.add("a", role: .admin)
        #expect(!file.isReadableByOthers)
        chmod(file.path, 0o644)
        #expect(file.isReadableByOthers)
        _ = try await file.add("b", role: .reader)
        #expect(!file.isReadableByOthers)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/deep")
        #expect(left == ["keys.json"])
    }

    @Test func namesAreUniqueAndPlain() async throws {
        _ = try await file.add("phone", role: .user)
        let before = try text()
        await #expect(throws: KeyError.self) { try await file.add("phone", role: .admin) }
        let long = String(repeating: "a", count: 65)
        // An accent makes another character of the slash.
        for name in ["", " a", "a\nb", "a\u{7}", "a\u{202E}b", "\u{200D}", "a/b", "a/\u{301}b", "..", long] {
            await #expect(throws: KeyError.self, "\(name)") { try await file.add(name, role: .admin) }
        }
        await #expect(throws: KeyError.self) { try await file.remove("laptop") }
        await #expect(throws: KeyError.self) { try await file.rotate("laptop") }
        #expect(try text() == before)
    }

    @Test(arguments: ["\u{1F469}\u{200D}\u{1F467} iPad", "\u{6AF}\u{648}\u{634}\u{6CC}\u{200C}\u{627}\u{645}"])
    func aNameMayHaveJoiners(name: String) async throws {
        _ = try await file.add(name, role: .user)
        #expect(try await file.load().map(\.name) == [name])
    }

    /// A name has 64 characters, but a character may have hundreds of accents.
    @Test func keysThatCouldNotBeReadAgainAreNotWritten() async throws {
        let accents = String(repeating: "\u{301}", count: 100_000)
        for number in 0..<5 { _ = try await file.add("\(number)\(accents)", role: .user) }
        await #expect(throws: KeyError.self) { try await file.add("5\(accents)", role: .user) }
        #expect(try await file.load().count == 5)
        try await file.remove("0\(accents)")
    }

    @Test func aNameWithSpacesAroundItSaysWhatIsWrong() async throws {
        let error = await #expect(throws: KeyError.self) { try await file.add("phone ", role: .user) }
        #expect(error?.description.contains("\"phone \"") == true, "\(error as Any)")
        #expect(error?.description.contains("without spaces around it") == true)
    }

    @Test func manyAtOnceAllHaveTheirKey() async throws {
        let file = file
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 { group.addTask { _ = try await file.add("\(number)", role: .user) } }
            try await group.waitForAll()
        }
        #expect(try await Set(file.load().map(\.name)) == Set((0..<20).map { "\($0)" }))
    }

    @Test func theFirstKeyIsMadeOnce() async throws {
        #expect(try await file.createIfMissing("first", role: .admin) != nil)
        #expect(try await file.createIfMissing("first", role: .admin) == nil)
        try await file.remove("first")
        // An operator who has removed every key wants no access at all.
        #expect(try await file.createIfMissing("first", role: .admin) == nil)
        #expect(try await KeyStore(file).keys.isEmpty)
    }

    @Test func aLinkStaysALink() async throws {
        _ = try await file.add("a", role: .user)
        let link = folder.path + "/link.json"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file.path)
        _ = try await KeyFile(path: link).add("b", role: .user)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == file.path)
        #expect(try await file.load().count == 2)
    }

    @Test func keysOutOfReachAreNotMissing() async throws {
        let link = KeyFile(path: folder.path + "/link.json")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "away/keys.json")
        #expect(throws: KeyError.self) { try link.read() }
        await #expect(throws: KeyError.self) { try await link.createIfMissing("first", role: .admin) }
        #expect(try KeyFile(path: folder.path + "/none/keys.json").read() == nil)
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"keys": [{"name": "a"}]}"#,
        #"{"keys": [{"name": "a", "role": "god", "sha256": "\#(digits)", "created_at": "2026-01-01T00:00:00Z"}]}"#,
        #"{"keys": [{"name": "a", "role": "admin", "sha256": "00", "created_at": "2026-01-01T00:00:00Z"}]}"#,
        #"{"keys": [{"name": "a", "role": "admin", "sha256": "\#(digits)", "created_at": "yesterday"}]}"#,
    ])
    func aFileThatIsNotUnderstoodLetsNobodyIn(content: String) async throws {
        _ = try await file.add("a", role: .user)
        let store = try await KeyStore(file)
        try Data(content.utf8).write(to: URL(filePath: file.path))
        let error = await #expect(throws: KeyError.self) { try await KeyStore(file) }
        #expect(error?.description.contains(file.path) == true)
        // A damaged file does not lock out users with valid keys, and it is reported once.
        await #expect(throws: KeyError.self) { try await store.reload(isNeeded: false) }
        #expect(try await !store.reload(isNeeded: false))
        #expect(store.keys.map(\.name) == ["a"])
        await #expect(throws: KeyError.self) { try await file.add("b", role: .admin) }
    }

    private static let digits = String(repeating: "0", count: 64)

    @Test func aChangeIsNoticed() async throws {
        let secret = try await file.add("a", role: .user)
        let store = try await KeyStore(file)
        #expect(try await !store.reload(isNeeded: false))
        let rotated = try await file.rotate("a")
        #expect(try await store.reload(isNeeded: false))
        #expect(store.key(of: digest(secret)) == nil)
        #expect(store.key(of: digest(rotated))?.role == .user)
    }
}
