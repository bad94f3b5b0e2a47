import Foundation
import HTTP
import TestSupport

@testable import API
@testable import Security

/// A service with a key of each role.
struct LockedService {
    let service: LiveService
    let file: KeyFile
    let keys: [Role: String]

    func request(
        _ method: String, _ target: String, key: String? = nil, headers: [(String, String)] = [],
        body: [UInt8]? = nil
    ) async throws -> RawResponse {
        let authorization = key.map { [("Authorization", "Bearer \($0)")] } ?? []
        return try await service.request(method, target, headers: authorization + headers, body: body)
    }

    func signIn(_ key: String) async throws -> RawResponse {
        try await service.request(
            "POST", "/session", headers: [("Content-Type", "application/json")],
            body: Array("{\"key\": \"\(key)\"}".utf8))
    }

    /// Signs in.
    ///
    /// - Returns: the header fields that a browser sends from then on.
    func session(_ role: Role) async throws -> [(String, String)] {
        guard let key = keys[role], let field = try await signIn(key).headers["set-cookie"],
            let cookie = field.split(separator: ";").first
        else { throw RawClient.Failure(description: "not signed in") }
        return [("Cookie", String(cookie))]
    }
}

/// Runs a test against a service with keys.
func withKeys(
    requestsPerMinute: Int? = nil, wrongKeysPerMinute: Int? = nil, now: @escaping @Sendable () -> Date = { Date() },
    origins: CORSMiddleware.Origins? = nil, _ body: (LockedService) async throws -> Void
) async throws {
    let folder = try TemporaryFolder()
    let file = KeyFile(path: folder.path + "/keys.json")
    var keys: [Role: String] = [:]
    for role in Role.allCases { keys[role] = try await file.add(role.rawValue, role: role) }
    let security = AccessControl.Options(
        keys: try await KeyStore(file), requestsPerMinute: requestsPerMinute,
        wrongKeysPerMinute: wrongKeysPerMinute, now: now)
    try await withOwnService(security: security, origins: origins) { service in
        try await body(LockedService(service: service, file: file, keys: keys))
    }
}
