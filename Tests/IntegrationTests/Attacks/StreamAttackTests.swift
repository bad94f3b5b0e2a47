import Base
import Foundation
import TestSupport
import Testing

@testable import API
@testable import Security

/// Open streams whose key is then revoked.
@Suite(.timeLimit(.minutes(5))) struct StreamAttackTests {
    private func authorization(_ key: String?) -> [(String, String)] {
        key.map { [("Authorization", "Bearer \($0)")] } ?? []
    }

    /// Opens a camera stream and waits for one answer.
    private func camera(_ locked: LockedService, _ headers: [(String, String)]) async throws -> CameraClient {
        let photo = try #require(ClassifyTests.drawing)
        let port = locked.service.port
        return try await onThread {
            let camera = try CameraClient(port: port, query: "detect=false", headers: headers)
            try #require(camera.isOpen, "\(camera.head)")
            _ = try camera.look(at: photo)
            return camera
        }
    }

    /// Sends frames and `keep` until the stream closes. It must close with 1008, and no scan may be stored.
    private func isClosed(_ camera: CameraClient) async throws -> Bool {
        let photo = try #require(ClassifyTests.drawing)
        return try await onThread {
            // The socket may be closed already.
            try? camera.send(#"{"type":"keep"}"#)
            try? camera.send(frame: photo)
            try? camera.send(#"{"type":"keep"}"#)
            while let message = try camera.receive() {
                if message["type"] as? String == "kept" || message["frame"] as? Int == 2 { return false }
            }
            return camera.closeCode == 1008
        }
    }

    private func scans(_ locked: LockedService) async throws -> Int? {
        try await locked.request("GET", "/history", key: locked.keys[.admin]).object()["total"] as? Int
    }

    @Test func aCameraWhoseKeyIsRemovedKeepsNothingMore() async throws {
        try await withKeys { (locked: LockedService) async throws in
            let gone = try await camera(locked, authorization(locked.keys[.user]))
            let other = try await camera(locked, authorization(locked.keys[.admin]))
            try await locked.file.remove("user")
            #expect(try await locked.service.access.reloadKeys(isNeeded: false))
            #expect(try await isClosed(gone))
            #expect(try await scans(locked) == 0)
            // Other users' streams stay open.
            let photo = try #require(ClassifyTests.drawing)
            let answer = try await onThread { try other.look(at: photo)["frame"] as? Int }
            #expect(answer == 2)
        }
    }

    @Test func aCameraWhoseKeyLosesItsRoleIsClosed() async throws {
        try await withKeys { (locked: LockedService) async throws in
            let user = try await camera(locked, authorization(locked.keys[.user]))
            let keys = try String(contentsOfFile: locked.file.path, encoding: .utf8)
            let lowered = keys.replacing(/"role":"user"/, with: #""role":"reader""#)
            try #require(lowered != keys)
            try lowered.write(toFile: locked.file.path, atomically: true, encoding: .utf8)
            #expect(try await locked.service.access.reloadKeys(isNeeded: false))
            #expect(try await isClosed(user))
        }
    }

    @Test func aCameraOfASessionEndsWithIt() async throws {
        let offset = Locked<TimeInterval>(0)
        try await withKeys(now: { Date() + offset.withLock { $0 } }) { (locked: LockedService) async throws in
            let (first, second) = (try await locked.session(.user), try await locked.session(.user))
            let (gone, other) = (try await camera(locked, first), try await camera(locked, second))
            #expect(try await locked.request("DELETE", "/session", headers: first).status == 204)
            #expect(try await isClosed(gone))
            let photo = try #require(ClassifyTests.drawing)
            let answer = try await onThread { try other.look(at: photo)["frame"] as? Int }
            #expect(answer == 2)
            // The other stream expires by itself.
            offset.withLock { $0 = 604_801 }
            try await locked.service.access.readEndedSessions()
            let code = try await onThread {
                while try other.receive() != nil {}
                return other.closeCode
            }
            #expect(code == 1008)
        }
    }

    @Test func eventsEndWithTheKey() async throws {
        try await withKeys { (locked: LockedService) async throws in
            let made = try await locked.request(
                "POST", "/laps", key: locked.keys[.user], headers: [("Content-Type", "application/json")],
                body: Array(#"{"label":"sports_car"}"#.utf8))
            let id = try #require(try made.object()["id"] as? String, "\(made.text)")
            let (port, key) = (locked.service.port, try #require(locked.keys[.user]))
            let client = try await onThread {
                let client = try RawClient(port: port)
                try client.send(
                    "GET /laps/\(id)/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(key)\r\n\r\n")
                _ = try client.receive()
                return client
            }
            try await locked.file.remove("user")
            #expect(try await locked.service.access.reloadKeys(isNeeded: false))
            let end = try await onThread { () -> String in
                do {
                    _ = try client.receiveAll()
                    return "closed"
                } catch let failure as RawClient.Failure {
                    return failure.description
                }
            }
            // The connection is closed by the service. It does not time out.
            #expect(end == "closed" || end == "recv: errno \(ECONNRESET)")
        }
    }

    @Test func signingOutWorksHoweverManySessionsWereEnded() async throws {
        try await withKeys { (locked: LockedService) async throws in
            let access = locked.service.access
            // The holder of a key signs in and out many times.
            let keys = try await locked.file.load()
            let reader = try #require(keys.first { $0.role == .reader })
            for _ in 0..<10_001 {
                try await access.signOut(SessionToken(key: reader, expires: Date() + 3600))
            }
            for role in [Role.admin, .reader] {
                let session = try await locked.session(role)
                #expect(try await locked.request("GET", "/history", headers: session).status == 200)
                #expect(try await locked.request("DELETE", "/session", headers: session).status == 204)
                #expect(try await locked.request("GET", "/history", headers: session).status == 401)
            }
        }
    }
}
