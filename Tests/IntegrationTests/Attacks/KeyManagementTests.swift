import Base
import Foundation
import TestSupport
import Testing

@testable import API
@testable import Security

/// Keys that cannot be read after a change.
private struct FadingKeys: KeyRepository {
    let file: KeyFile
    let isGone = Locked(false)

    var place: String { file.place }

    func read() async throws(KeyError) -> [UInt8]? {
        if isGone.withLock({ $0 }) { throw .unreadable(place, "it is gone") }
        return try file.read()
    }

    func change(
        _ body: @escaping @Sendable ([UInt8]?) throws(KeyError) -> [UInt8]?
    ) async throws(KeyError) {
        try file.change(body)
        isGone.withLock { $0 = true }
    }
}

/// Management of keys over HTTP at `/keys`, and its misuse.
@Suite struct KeyManagementTests {
    private typealias Object = [String: any Sendable]
    private static let json = [("Content-Type", "application/json")]

    private func make(_ locked: LockedService, _ body: String, as role: Role = .admin) async throws -> RawResponse {
        try await locked.request("POST", "/keys", key: locked.keys[role], headers: Self.json, body: Array(body.utf8))
    }

    @Test func aKeyIsToldOnceWorksAtOnceAndEndsAtOnce() async throws {
        try await withKeys { (locked: LockedService) async throws in
            let admin = locked.keys[.admin]
            let made = try await make(locked, #"{"name":"Anna's phone","role":"user"}"#)
            #expect(made.status == 201 && made.headers["cache-control"] == "no-store", "\(made.text)")
            let key = try #require(try made.object()["key"] as? String)
            #expect(try await locked.request("GET", "/laps", key: key).status == 200)
            #expect(try await locked.request("GET", "/keys", key: key).status == 403)

            let list = try await locked.request("GET", "/keys", key: admin)
            let items = try #require(try list.object()["items"] as? [Object])
            #expect(items.compactMap { $0["name"] as? String } == ["reader", "user", "admin", "Anna's phone"])
            #expect(items.filter { $0["own"] as? Bool == true }.map { $0["name"] as? String } == ["admin"])
            // The list contains neither the key nor its hash.
            #expect(!list.text.contains("menagerie_") && !list.text.contains("sha256"))

            let path = "/keys/Anna%27s%20phone"
            let rotated = try await locked.request("POST", path + "/rotate", key: admin, body: [])
            let next = try #require(try rotated.object()["key"] as? String, "\(rotated.text)")
            #expect(try rotated.object()["role"] as? String == "user")
            #expect(try await locked.request("GET", "/laps", key: key).status == 401)
            #expect(try await locked.request("GET", "/laps", key: next).status == 200)
            #expect(try await locked.request("DELETE", path, key: admin).status == 204)
            #expect(try await locked.request("GET", "/laps", key: next).status == 401)
            #expect(try await locked.request("DELETE", path, key: admin).status == 404)
            #expect(try await locked.request("POST", path + "/rotate", key: admin, body: []).status == 404)
        }
    }

    @Test func nobodyIsLockedOutAndNobodyClimbs() async throws {
        try await withKeys { (locked: LockedService) async throws in
            let admin = locked.keys[.admin]
            for role in [Role.reader, .user] {
                let answer = try await make(locked, #"{"name":"mine","role":"admin"}"#, as: role)
                #expect(answer.status == 403, "\(answer.text)")
                for (method, path) in [("DELETE", "/keys/admin"), ("POST", "/keys/admin/rotate"), ("GET", "/keys")] {
                    let refused = try await locked.request(
                        method, path, key: locked.keys[role], body: method == "GET" ? nil : [])
                    #expect(refused.status == 403, "\(method) \(path)")
                }
            }
            let last = try await locked.request("DELETE", "/keys/admin", key: admin)
            #expect(last.status == 409 && last.text.contains("last key of an administrator"), "\(last.text)")
            #expect(try await locked.request("GET", "/keys", key: admin).status == 200)
            let taken = try await make(locked, #"{"name":"user","role":"admin"}"#)
            #expect(taken.status == 409, "\(taken.text)")
            let wrong = [
                "", "{}", #"{"name":"x"}"#, #"{"name":"x","role":"owner"}"#, #"{"name":"","role":"user"}"#,
                #"{"name":"a\nb","role":"user"}"#, #"{"name":" x","role":"user"}"#, "[]",
                #"{"name":"a/b","role":"user"}"#, #"{"name":"..","role":"user"}"#,
                #"{"name":"x","role":"user","expires_at":"2026-12-01T00:00:00Z"}"#,
                #"{"name":"\#(String(repeating: "x", count: 65))","role":"user"}"#,
            ]
            for body in wrong {
                let answer = try await make(locked, body)
                #expect(answer.status == 400, "\(body): \(answer.text)")
            }
            #expect(try await make(locked, String(repeating: " ", count: 5000)).status == 413)
            #expect(try await locked.request("GET", "/keys", key: admin).object()["total"] as? Int == 3)
            // Replacing a key ends its sessions.
            let session = try await locked.session(.admin)
            let own = try await locked.request("POST", "/keys/admin/rotate", key: admin, body: [])
            #expect(own.status == 200, "\(own.text)")
            #expect(try await locked.request("GET", "/keys", headers: session).status == 401)
        }
    }

    @Test func keysComeInPages() async throws {
        try await withKeys { (locked: LockedService) async throws in
            func list(_ query: String) async throws -> RawResponse {
                try await locked.request("GET", "/keys?" + query, key: locked.keys[.admin])
            }
            let first = try await list("limit=2").object()
            let cursor = try #require(first["next_cursor"] as? String)
            #expect(first["total"] as? Int == 3 && (first["items"] as? [Any])?.count == 2)
            let second = try await list("limit=2&cursor=\(cursor)")
            #expect(try second.items().compactMap { $0["name"] as? String } == ["admin"])
            #expect(try second.object()["next_cursor"] is NSNull)
            for refused in ["limit=0", "limit=101", "cursor=x", "colour=red"] {
                #expect(try await list(refused).status == 400)
            }
        }
    }

    @Test func keysThatCannotBeChangedNowSayWhenToTryAgain() async throws {
        try await withKeys { (locked: LockedService) async throws in
            try Data("{".utf8).write(to: URL(filePath: locked.file.path))
            let answer = try await make(locked, #"{"name":"x","role":"user"}"#)
            #expect(answer.status == 503 && answer.headers["retry-after"] == "1", "\(answer.text)")
        }
    }

    /// The database goes away between the change and the reading that applies it here.
    @Test func aNewKeyIsToldAlthoughTheKeysCannotBeReadAfterIt() async throws {
        let folder = try TemporaryFolder()
        let fading = FadingKeys(file: KeyFile(path: folder.path + "/keys.json"))
        let key = try await fading.file.add("boss", role: .admin)
        let security = AccessControl.Options(keys: try await KeyStore(fading))
        try await withOwnService(security: security) { service in
            let bearer = [("Authorization", "Bearer \(key)")]
            let made = try await service.request(
                "POST", "/keys", headers: bearer + Self.json, body: Array(#"{"name":"phone","role":"user"}"#.utf8))
            #expect(made.status == 201, "\(made.text)")
            let rotated = try await service.request("POST", "/keys/boss/rotate", headers: bearer, body: [])
            #expect(rotated.status == 200, "\(rotated.text)")
            let next = try #require(try rotated.object()["key"] as? String)
            fading.isGone.withLock { $0 = false }
            #expect(try await service.access.reloadKeys(isNeeded: false))
            let list = try await service.request("GET", "/keys", headers: [("Authorization", "Bearer \(next)")])
            #expect(try list.items().count == 2, "\(list.text)")
        }
    }

    @Test func ofAServiceWithoutKeysNobodyMakesTheFirst() async throws {
        try await withOwnService { service in
            for (method, path) in [
                ("GET", "/keys"), ("POST", "/keys"), ("DELETE", "/keys/x"), ("POST", "/keys/x/rotate"),
            ] {
                let answer = try await service.request(
                    method, path, headers: Self.json,
                    body: method == "GET" ? nil : Array(#"{"name":"x","role":"admin"}"#.utf8))
                #expect(answer.status == 409 && answer.text.contains("/problems/no-keys"), "\(answer.text)")
            }
        }
    }
}
