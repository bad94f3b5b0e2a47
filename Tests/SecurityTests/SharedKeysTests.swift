import Base
import Foundation
import HTTP
import Storage
import Testing
import TestSupport

@testable import Security

private struct Ignored: AccessObserver {
    func refused(_ reason: AccessRefusal) {}
    func holds(_ keys: Int, of role: Role) {}
}

/// Keys that two services share through a database.
@Suite(.enabled(if: PostgreSQLServer.isAvailable)) struct SharedKeysTests {
    private let folder: TemporaryFolder
    private let database: String

    init() throws {
        folder = try TemporaryFolder()
        database = try PostgreSQLServer.shared.get().newDatabase()
    }

    private func replica() async throws -> SharedKeys { try await SharedKeys.open(connectionString: database) }

    private func digest(_ secret: String) -> KeyDigest {
        Array(secret.utf8).withUnsafeBytes { KeyDigest(of: $0) }
    }

    @Test func `a key that is made at one replica is known at the other, with its role, and nowhere in clear`()
        async throws
    {
        let (first, second) = (try await replica(), try await replica())
        #expect(try await second.read() == nil)
        let secret = try await first.add("phone", role: .reader)
        let store = try await KeyStore(second)
        let key = try #require(store.key(of: digest(secret)))
        #expect(key.name == "phone" && key.role == .reader)
        let kept = String(decoding: try #require(try await second.read()), as: UTF8.self)
        #expect(!kept.contains(secret.dropFirst(10)) && kept.contains(key.digest.hexadecimal))

        let rotated = try await second.rotate("phone")
        #expect(try await store.reload(isNeeded: false))
        #expect(store.key(of: digest(secret)) == nil && store.key(of: digest(rotated))?.role == .reader)
        try await first.remove("phone")
        #expect(try await store.reload(isNeeded: false))
        #expect(store.keys.isEmpty)
        #expect(try await !store.reload(isNeeded: false))
    }

    @Test func `a refused change has no effect`() async throws {
        let keys = try await replica()
        await #expect(throws: KeyError.self) { try await keys.remove("phone") }
        #expect(try await keys.read() == nil)
        _ = try await keys.add("phone", role: .user)
        let before = try await keys.read()
        let error = await #expect(throws: KeyError.self) { try await keys.add("phone", role: .admin) }
        #expect(error?.description.contains("There is a key \"phone\" already") == true)
        await #expect(throws: KeyError.self) { try await keys.rotate("laptop") }
        #expect(try await keys.read() == before)
    }

    @Test func `many at once all have their key, and one of them makes the first`() async throws {
        let replicas = [try await replica(), try await replica(), try await replica()]
        let made = try await withThrowingTaskGroup(of: String?.self) { group in
            for replica in replicas { group.addTask { try await replica.createIfMissing("first", role: .admin) } }
            return try await group.reduce(into: [String]()) { made, key in if let key { made.append(key) } }
        }
        #expect(made.count == 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<24 {
                group.addTask { _ = try await replicas[number % 3].add("\(number)", role: .user) }
            }
            try await group.waitForAll()
        }
        #expect(try await Set(replicas[0].load().map(\.name)) == Set((0..<24).map { "\($0)" } + ["first"]))
    }

    @Test func `an earlier file is imported once, and a removed key does not return with a copy of it`()
        async throws
    {
        let file = KeyFile(path: folder.path + "/keys.json")
        let (phone, laptop) = (try await file.add("phone", role: .user), try await file.add("laptop", role: .admin))
        let (first, second) = (try await replica(), try await replica())
        #expect(try await first.adopt(file))
        let store = try await KeyStore(second)
        #expect(store.key(of: digest(phone))?.role == .user && store.key(of: digest(laptop))?.role == .admin)
        try await first.remove("phone")
        #expect(try await !second.adopt(file))
        try await second.remove("laptop")
        #expect(try await !first.adopt(file))
        #expect(try await first.load().isEmpty)
    }

    @Test func `a file that is not understood is not taken over`() async throws {
        try folder.write(Array("{".utf8), "keys.json")
        let keys = try await replica()
        await #expect(throws: KeyError.self) { try await keys.adopt(KeyFile(path: folder.path + "/keys.json")) }
        #expect(try await keys.read() == nil)
        #expect(try await !keys.adopt(KeyFile(path: folder.path + "/none.json")))
    }

    @Test func `a session that was ended is known to all until it would have been over`() async throws {
        let (first, second) = (try await replica().sessions, try await replica().sessions)
        let now = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
        let ends = [(1, UInt64.max, now + 3600), (1, 0, now + 7200), (2, 7, now + 7200)].map {
            EndedSession(key: $0, number: $1, expires: $2)
        }
        for session in ends { try await first.end(session) }
        try await second.end(ends[2])
        // The clock of the first is ahead.
        #expect(try await first.ended(at: now + 3600) == Set(ends[1...]))
        #expect(try await first.ended(at: now + 7200) == [])
        #expect(try await second.ended(at: now) == Set(ends))
        let files = try await SharedFiles.open(connectionString: database)
        try await files.remove(under: "sessions/")
        try await first.end(EndedSession(key: 1, number: 1, expires: now))
        #expect(try await second.ended(at: now) == [])
        #expect(try await files.paths(under: "sessions/") == [])
        // The form in which earlier releases stored ended sessions.
        _ = try await files.add("sessions/ended/\(Int(now.timeIntervalSince1970) + 60)-ff", [])
        #expect(
            try await first.ended(at: now) == [EndedSession(key: nil, number: 255, expires: now + 60)])
    }

    @Test func `a session that began while the clock was years ahead is over`() async throws {
        let shared = try await replica()
        let secret = try await shared.add("phone", role: .user)
        let ahead = Locked(Date() + 3 * 365 * 86_400)
        let access = AccessControl(
            AccessControl.Options(
                keys: try await KeyStore(shared), sessions: shared.sessions, now: { ahead.withLock { $0 } }),
            observer: Ignored())
        let session = try access.signIn(secret, Request())
        #expect(access.isValid(session))
        ahead.withLock { $0 = Date() }
        #expect(!access.isValid(session))
        #expect(access.isValid(try access.signIn(secret, Request())))
    }

    @Test func `one key's ended sessions do not fill the database`() async throws {
        let shared = try await replica()
        _ = try await shared.add("phone", role: .user)
        let store = try await KeyStore(shared)
        let key = try #require(store.keys.first)
        func service() async throws -> AccessControl {
            AccessControl(
                AccessControl.Options(keys: store, sessions: try await replica().sessions), observer: Ignored())
        }
        let access = try await service()
        let early = SessionToken(key: key, expires: Date() + 60)
        let late = SessionToken(key: key, expires: Date() + 7200)
        for _ in 0...EndedSessions.limit {
            try await access.signOut(SessionToken(key: key, expires: Date() + 3600))
        }
        let files = try await SharedFiles.open(connectionString: database)
        #expect(try await files.paths(under: "sessions/").count == 1)
        // Sessions from before the change end at both replicas. Later ones continue.
        let other = try await service()
        try await other.readEndedSessions()
        for access in [access, other] {
            #expect(!access.isValid(early) && access.isValid(late))
        }
    }
}

extension AccessControl {
    /// Whether the session's cookie is accepted.
    fileprivate func isValid(_ session: SessionToken) -> Bool {
        let request = Request(target: "/history", headers: ["Cookie": "menagerie_session=\(session.text)"])
        if case .key = caller(of: request) { return true }
        return false
    }
}
