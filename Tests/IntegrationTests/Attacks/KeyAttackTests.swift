import Base
import Foundation
import HTTP
import TestSupport
import Testing

@testable import API
@testable import Security

/// Requests to a service with keys: without a key, with a wrong one, and with a role that is too low.
@Suite struct KeyAttackTests {
    private func type(_ answer: RawResponse) -> String? {
        guard let object = try? JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any] else {
            return nil
        }
        return object["type"] as? String
    }

    // MARK: Roles

    /// The least role for each route. The test repeats the contract here: nobody, `reader`, `user`, `admin`.
    private static let open: Set = [
        "GET /", "GET /{path...}", "GET /livez", "GET /readyz", "GET /v2/health/live", "GET /v2/health/ready",
        "GET /openapi.json", "GET /authority.crt", "GET /session", "POST /session", "DELETE /session",
        "POST /v1/vision/custom/list", "GET /v1/status/updateavailable",
    ]
    private static let changesNothing: Set = [
        "POST /detect", "POST /v2/repository/index", "POST /v2/models/{name}/infer",
        "POST /v2/models/{name}/versions/{version}/infer", "POST /api/v1/vision/labels",
    ]
    /// These routes accept the key in the form; see DeepStackAttackTests.
    private static let keyInForm: Set = ["POST /v1/vision/detection", "POST /v1/vision/custom/{model}"]
    private static let adminsOnly: Set = [
        "GET /metrics", "DELETE /history", "POST /history/import", "POST /models/{name}/load",
        "POST /models/{name}/unload", "POST /models", "PATCH /models/{name}", "DELETE /models/{name}",
        "PUT /models/default", "POST /v2/repository/models/{name}/load", "POST /v2/repository/models/{name}/unload",
        "POST /training", "POST /evaluation", "DELETE /training/{id}", "PUT /training/{id}/deployment",
        "DELETE /training/{id}/deployment",
        "POST /cameras", "PATCH /cameras/{id}", "DELETE /cameras/{id}",
        "GET /keys", "POST /keys", "POST /keys/{name}/rotate", "DELETE /keys/{name}",
    ]
    /// Cameras and timers need the role that may store scans.
    private static let usersOnly: Set = [
        "GET /live", "GET /laps", "GET /laps/{id}", "GET /laps/{id}/events", "GET /laps/{id}/export",
        "GET /laps/{id}/laps/{number}/photo",
    ]

    private static func role(_ route: String) -> Role? {
        if open.contains(route) { return nil }
        if adminsOnly.contains(route) { return .admin }
        if usersOnly.contains(route) { return .user }
        return route.hasPrefix("GET ") || changesNothing.contains(route) ? .reader : .user
    }

    @Test func everyRouteAsksForItsRole() async throws {
        try await withKeys { (locked: LockedService) async throws in
            let routes = locked.service.router.routes
            #expect(routes.count > 40)
            for route in routes where !Self.keyInForm.contains("\(route.method) \(route.pattern)") {
                let needed = Self.role("\(route.method) \(route.pattern)")
                let target = route.pattern.replacing(/\{[a-z._]+\}/, with: "x")
                let method = route.method.rawValue
                for role in [nil] + Role.allCases.map(Optional.some) {
                    // Allowed requests would have effects, so other tests send them.
                    guard needed.map({ role ?? .reader < $0 || role == nil }) ?? true else { continue }
                    let answer = try await locked.request(
                        method, target, key: role.flatMap { locked.keys[$0] }, body: method == "GET" ? nil : [])
                    let wanted: String? =
                        needed == nil ? nil : role == nil ? "/problems/key-required" : "/problems/role-required"
                    let refusal = type(answer).flatMap { $0.contains("required") ? $0 : nil }
                    #expect(refusal == wanted, "\(method) \(target) as \(role?.rawValue ?? "nobody"): \(answer.text)")
                    if let wanted {
                        #expect(answer.status == (wanted.hasSuffix("role-required") ? 403 : 401))
                        #expect(answer.headers["www-authenticate"]?.hasPrefix("Bearer") == true)
                    }
                    if wanted?.hasSuffix("role-required") == true {
                        #expect(try answer.object()["role"] as? String == needed?.rawValue)
                    }
                }
                // The role that the refusal names is sufficient.
                guard let needed, route.pattern != "/history/import" else { continue }
                let answer = try await locked.request(
                    method, target, key: locked.keys[needed], body: method == "GET" ? nil : [])
                #expect(answer.status != 401 && answer.status != 403, "\(method) \(target): \(answer.text)")
            }
        }
    }

    @Test func readersScanWithoutSavingAndUsersDeleteWhatTheyName() async throws {
        let photo = try #require(ClassifyTests.drawing)
        try await withKeys { (locked: LockedService) async throws in
            let image = [("Content-Type", "image/jpeg")]
            func classify(_ query: String, _ role: Role) async throws -> RawResponse {
                try await locked.request(
                    "POST", "/classify?\(query)", key: locked.keys[role], headers: image, body: photo)
            }
            #expect(try await classify("save=false", .reader).status == 200)
            for query in ["", "save=true", "save=1", "save=false&save=true", "save=", "SAVE=false", "save=false%00"] {
                #expect(try await classify(query, .reader).status == 403, "\(query)")
            }
            let id = try #require(try await classify("", .user).object()["id"] as? String)
            let user = locked.keys[.user]
            #expect(try await locked.request("DELETE", "/history", key: user).status == 403)
            #expect(try await locked.request("DELETE", "/history?ID=\(id)", key: user).status == 403)
            #expect(try await locked.request("GET", "/history", key: user).object()["total"] as? Int == 1)
            #expect(try await locked.request("DELETE", "/history?id=\(id)", key: user).status == 204)
            #expect(try await locked.request("GET", "/history", key: user).object()["total"] as? Int == 0)
        }
    }

    // MARK: Keys

    @Test func onlyTheKeysThemselvesAreTaken() async throws {
        try await withKeys { (locked: LockedService) async throws in
            let key = try #require(locked.keys[.admin])
            let sha = try #require(
                try String(contentsOfFile: locked.file.path, encoding: .utf8).firstMatch(
                    of: /"sha256":"([0-9a-f]{64})"/))
            let wrong = [
                "Bearer", "Bearer ", "Bearer x", "Bearer \(key)x", "Bearer \(key.dropLast())",
                "Bearer \(key.uppercased())",
                "Bearer\t\(key)", "Basic \(key)", key, "Bearer \(sha.output.1)", "Bearer admin",
                "Bearer \(key), Bearer \(key)",
            ]
            for value in wrong {
                let answer = try await locked.service.request("GET", "/history", headers: [("Authorization", value)])
                #expect(answer.status == 401, "\(value)")
                #expect(answer.headers["www-authenticate"]?.hasPrefix("Bearer") == true)
                #expect(!answer.text.contains(key))
            }
            // RFC 9110 §11.4 allows several spaces.
            for value in ["bEARER \(key)", "Bearer  \(key)"] {
                let right = try await locked.service.request("GET", "/history", headers: [("authorization", value)])
                #expect(right.status == 200, "\(value)")
            }
            // A key in the address is an error, since logs and bystanders would see it.
            #expect(try await locked.request("GET", "/history?key=\(key)").status == 401)
        }
    }

    /// A browser sends the name and password for a proxy with every request, and most proxies pass them on.
    @Test func aSessionGoesOnBehindAProxyWithPasswords() async throws {
        try await withKeys { (locked: LockedService) async throws in
            let key = try #require(locked.keys[.user])
            let cookie = try #require(try await locked.signIn(key).headers["set-cookie"]?.split(separator: ";").first)
            let headers = [("Authorization", "Basic YW5uYTpwdw=="), ("Cookie", String(cookie))]
            #expect(try await locked.request("GET", "/history", headers: headers).status == 200)
            let wrong = [("Authorization", "Bearer x"), ("Cookie", String(cookie))]
            #expect(try await locked.request("GET", "/history", headers: wrong).status == 401)
            let none = try await locked.request("GET", "/history", headers: [headers[0]])
            #expect(none.status == 401 && none.text.contains("Authorization: Bearer"))
        }
    }

    @Test func clientsOfTheInferenceProtocolReadWhy() async throws {
        try await withKeys { (locked: LockedService) async throws in
            let answer = try await locked.request("POST", "/v2/models/menagerie/infer", body: [])
            #expect(answer.status == 401)
            #expect(try answer.object()["error"] as? String == answer.object()["detail"] as? String)
        }
    }

    @Test func aRemovedKeyAndItsSessionsEnd() async throws {
        try await withKeys { (locked: LockedService) async throws in
            let key = try #require(locked.keys[.user])
            let cookie = try #require(try await locked.signIn(key).headers["set-cookie"]?.split(separator: ";").first)
            let session = [("Cookie", String(cookie))]
            #expect(try await locked.request("GET", "/history", key: key).status == 200)
            #expect(try await locked.request("GET", "/history", headers: session).status == 200)
            try await locked.file.remove("user")
            #expect(try await locked.service.access.reloadKeys(isNeeded: false))
            #expect(try await locked.request("GET", "/history", key: key).status == 401)
            #expect(try await locked.request("GET", "/history", headers: session).status == 401)
            #expect(try await locked.signIn(key).status == 401)
            #expect(try await locked.request("GET", "/history", key: locked.keys[.admin]).status == 200)
        }
    }

    @Test func guessingEndsSoonAndOthersGoOn() async throws {
        try await withKeys(wrongKeysPerMinute: 5) { (locked: LockedService) async throws in
            var statuses: [Int] = []
            for number in 0..<8 {
                let answer = try await locked.request("GET", "/history", key: "menagerie_guess\(number)")
                statuses.append(answer.status)
                guard answer.status == 429 else { continue }
                #expect(Int(answer.headers["retry-after"] ?? "") ?? 0 >= 1)
                #expect(answer.headers["ratelimit"]?.contains("r=0") == true)
                #expect(answer.headers["ratelimit-policy"]?.contains("q=5;w=60") == true)
                #expect(answer.headers["content-type"] == "application/problem+json")
            }
            #expect(statuses == [401, 401, 401, 401, 401, 429, 429, 429])
            // The address is blocked from signing in, even with the right key. So an attacker cannot tell a right
            // guess.
            let admin = try #require(locked.keys[.admin])
            #expect(try await locked.signIn("menagerie_guess").status == 429)
            #expect(try await locked.signIn(admin).status == 429)
            // Other programs at the same address that hold a key still have access.
            #expect(try await locked.request("GET", "/history", key: admin).status == 200)
            let metrics = try await locked.request("GET", "/metrics", key: admin).text
            #expect(metrics.contains("menagerie_refusals_total{reason=\"key\"} 5"))
            #expect(metrics.contains("menagerie_refusals_total{reason=\"wrong_keys\"} 5"))
        }
    }

    @Test func eachKeyHasItsOwnLimit() async throws {
        try await withKeys(requestsPerMinute: 3) { (locked: LockedService) async throws in
            func statuses(_ key: String?) async throws -> [Int] {
                var statuses: [Int] = []
                for _ in 0..<5 { statuses.append(try await locked.request("GET", "/breeds?limit=1", key: key).status) }
                return statuses
            }
            #expect(try await statuses(locked.keys[.reader]) == [200, 200, 200, 429, 429])
            #expect(try await statuses(locked.keys[.user]) == [200, 200, 200, 429, 429])
            #expect(try await statuses(nil) == [401, 401, 401, 429, 429])
            // A blocked address still gets health checks, so that monitoring does not report the service as dead.
            for _ in 0..<5 { #expect(try await locked.request("GET", "/readyz").status == 200) }
        }
    }

    // MARK: Sessions

    @Test func theCookieIsOutOfReachOfScriptsAndOtherSites() async throws {
        try await withKeys { (locked: LockedService) async throws in
            let key = try #require(locked.keys[.user])
            let answer = try await locked.signIn(key)
            let cookie = try #require(answer.headers["set-cookie"])
            for attribute in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age="] {
                #expect(cookie.contains("; \(attribute)"), "\(attribute)")
            }
            #expect(!cookie.contains("Secure") && !cookie.contains("Domain"))
            #expect(answer.headers["cache-control"] == "no-store")
            #expect(!cookie.contains(key) && !answer.text.contains(key))
            #expect(try answer.object()["role"] as? String == "user")
        }
    }

    @Test func aStolenCookieOfAnotherSiteOrAMadeUpOneIsNone() async throws {
        try await withKeys { (locked: LockedService) async throws in
            let key = try #require(locked.keys[.admin])
            let cookie = String(
                try #require(try await locked.signIn(key).headers["set-cookie"]?.split(separator: ";").first))
            let foreign = [("Cookie", cookie), ("Origin", "http://evil.example")]
            #expect(try await locked.request("DELETE", "/history", headers: foreign).status == 403)
            let signIn = try await locked.request(
                "POST", "/session", headers: [("Origin", "http://evil.example")],
                body: Array("{\"key\":\"\(key)\"}".utf8))
            #expect(signIn.status == 403 && signIn.headers["set-cookie"] == nil)
            let altered = String(cookie.dropLast()) + (cookie.hasSuffix("x") ? "y" : "x")
            for made in ["menagerie_session=", "menagerie_session=admin", altered, cookie + "x"] {
                #expect(
                    try await locked.request("GET", "/history", headers: [("Cookie", made)]).status == 401, "\(made)")
            }
            // Browsers send the cookie among others.
            let several = [("Cookie", "a=b; \(cookie); c=d")]
            #expect(try await locked.request("GET", "/history", headers: several).status == 200)
        }
    }

    @Test func aSessionEndsByItselfAndBySigningOut() async throws {
        let offset = Locked<TimeInterval>(0)
        try await withKeys(now: { Date() + offset.withLock { $0 } }) { (locked: LockedService) async throws in
            func session() async throws -> [(String, String)] {
                let cookie = try await locked.signIn(try #require(locked.keys[.reader])).headers["set-cookie"]
                return [("Cookie", String(try #require(cookie?.split(separator: ";").first)))]
            }
            let (first, second) = (try await session(), try await session())
            #expect(try await locked.request("GET", "/session", headers: first).object()["name"] as? String == "reader")
            let out = try await locked.request("DELETE", "/session", headers: first)
            #expect(out.status == 204 && out.headers["set-cookie"]?.contains("Max-Age=0") == true)
            // A copy of the old cookie is invalid too.
            #expect(try await locked.request("GET", "/history", headers: first).status == 401)
            #expect(try await locked.request("GET", "/history", headers: second).status == 200)
            offset.withLock { $0 = 604_801 }
            #expect(try await locked.request("GET", "/history", headers: second).status == 401)
            #expect(try await locked.request("GET", "/session", headers: second).object()["name"] == nil)
        }
    }

    @Test func whatNeedsAKeyIsNotForSharedCaches() async throws {
        try await withKeys { (locked: LockedService) async throws in
            let key = locked.keys[.reader]
            let article = try await locked.request("GET", "/breeds/siamese", key: key)
            #expect(article.headers["cache-control"]?.contains("public") == false)
            #expect(
                try await locked.request("GET", "/openapi.json").headers["cache-control"]?.contains("public") == true)
        }
    }

    @Test func aPreflightNeedsNoKeyAndARefusalCanBeRead() async throws {
        try await withKeys(origins: .listed(["https://app.example"])) { (locked: LockedService) async throws in
            let origin = ("Origin", "https://app.example")
            let asked = try await locked.request(
                "OPTIONS", "/history",
                headers: [
                    origin, ("Access-Control-Request-Method", "GET"),
                    ("Access-Control-Request-Headers", "authorization"),
                ])
            #expect(asked.status == 204 && asked.headers["access-control-allow-headers"] == "authorization")
            let refused = try await locked.request("GET", "/history", headers: [origin])
            #expect(refused.status == 401 && refused.headers["access-control-allow-origin"] == "https://app.example")
        }
    }
}
