import API
import Base
import Foundation
import HTTP
import Storage
import Testing
import TestSupport

/// A foreign page in a browser on this machine sends requests to the service. The service has no keys, as on a private
/// machine.
@Suite struct BrowserAttackTests {
    /// A service with one scan, which the attacks try to read or delete.
    private func withScan(
        origins: CORSMiddleware.Origins? = nil, _ body: (LiveService, String) async throws -> Void
    ) async throws {
        try await withOwnService(origins: origins) { service in
            let photo = try #require(ClassifyTests.drawing)
            let id = try #require(try await service.classify(photo, query: "").object()["id"] as? String)
            try await body(service, id)
        }
    }

    private func total(_ service: LiveService) async throws -> Int? {
        try await service.request("GET", "/history").object()["total"] as? Int
    }

    private func refusals(_ reason: String, _ service: LiveService) async throws -> Int {
        let text = try await service.request("GET", "/metrics").text
        let line = text.split(separator: "\n").first { $0.hasPrefix("menagerie_refusals_total{reason=\"\(reason)\"}") }
        return Int(line?.split(separator: " ").last ?? "0") ?? 0
    }

    // MARK: DNS rebinding

    @Test(arguments: ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost.evil.example"])
    func aNameThatWasTurnedToThisMachineGetsNothing(host: String) async throws {
        try await withScan { (service: LiveService, id: String) async throws in
            let attacks = [
                ("GET", "/history"), ("GET", "/history/\(id)/photo"), ("DELETE", "/history"),
                ("DELETE", "/history/\(id)"),
                ("GET", "/metrics"), ("GET", "/"), ("GET", "/livez"), ("OPTIONS", "/history"), ("GET", "/nothing"),
            ]
            for (method, target) in attacks {
                // For the browser this is the page's own origin.
                let fields = [("Origin", "http://\(host)"), ("Sec-Fetch-Site", "same-origin")]
                let answer = try await service.request(method, target, host: host, headers: fields)
                #expect(answer.status == 421, "\(method) \(target)")
                #expect(answer.headers["content-type"] == "application/problem+json")
                #expect(answer.text.contains("http.allowed_hosts"))
            }
            let photo = try #require(ClassifyTests.drawing)
            let scan = try await service.request(
                "POST", "/classify", host: host, headers: [("Content-Type", "image/jpeg")], body: photo)
            #expect(scan.status == 421)
            #expect(try await total(service) == 1)
            #expect(try await refusals("host", service) == attacks.count + 1)
        }
    }

    @Test func theTargetsOwnHostCountsWhereItHasOne() async throws {
        try await withScan { (service: LiveService, _: String) async throws in
            let lines = "Host: localhost\r\nConnection: close\r\n\r\n"
            let foreign = try await exchange(service.port, "DELETE http://evil.example/history HTTP/1.1\r\n" + lines)
            #expect(foreign.map(\.status) == [421])
            #expect(try await total(service) == 1)
            let own = try await exchange(service.port, "GET http://127.0.0.1/history HTTP/1.1\r\n" + lines)
            #expect(own.map(\.status) == [200])
        }
    }

    @Test func thoseWhoSpeakToTheMachineItselfAreServed() async throws {
        try await withScan { (service: LiveService, _: String) async throws in
            for host in ["127.0.0.1:\(service.port)", "[::1]:8080", "localhost", "LOCALHOST.:1", "192.168.1.7"] {
                #expect(try await service.request("GET", "/history", host: host).status == 200, "\(host)")
            }
            #expect(try await exchange(service.port, "GET /livez HTTP/1.0\r\n\r\n").map(\.status) == [200])
        }
    }

    // MARK: Cross-site requests

    /// Requests that a page can send without a preflight, and those of a hostile program.
    private static let foreign: [[(String, String)]] = [
        [("Origin", "http://evil.example")], [("Origin", "https://evil.example"), ("Sec-Fetch-Site", "cross-site")],
        [("Origin", "null")], [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")],
        [("Origin", "http://localhost:1")],
    ]

    @Test func aForeignPageDeletesNothing() async throws {
        try await withScan { (service: LiveService, id: String) async throws in
            for fields in Self.foreign {
                for target in ["/history", "/history/\(id)", "/history?id=\(id)"] {
                    let answer = try await service.request("DELETE", target, headers: fields)
                    #expect(answer.status == 403, "\(target) \(fields)")
                    #expect(try answer.object()["type"] as? String == "/problems/cross-site")
                }
            }
            #expect(try await total(service) == 1)
            #expect(try await refusals("cross_site", service) == Self.foreign.count * 3)
        }
    }

    @Test func aForeignPageSavesNoScan() async throws {
        try await withScan { (service: LiveService, _: String) async throws in
            let photo = try #require(ClassifyTests.drawing)
            for fields in Self.foreign {
                // The three content types that need no preflight.
                let form = "--b\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a\"\r\n\r\n"
                let bodies = [
                    ("multipart/form-data; boundary=b", Array(form.utf8) + photo + Array("\r\n--b--\r\n".utf8)),
                    ("text/plain", photo), ("application/x-www-form-urlencoded", photo),
                ]
                for (type, body) in bodies {
                    let answer = try await service.request(
                        "POST", "/classify", headers: fields + [("Content-Type", type)], body: body)
                    #expect(answer.status == 403, "\(type) \(fields)")
                }
            }
            #expect(try await total(service) == 1)
        }
    }

    @Test func aForeignPageUnloadsNoModel() async throws {
        try await withService { (service: LiveService) async throws in
            for fields in Self.foreign {
                for target in ["/models/menagerie/unload", "/v2/repository/models/menagerie/unload"] {
                    #expect(
                        try await service.request("POST", target, headers: fields, body: []).status == 403, "\(target)")
                }
            }
            #expect(try await service.request("GET", "/v2/models/menagerie/ready").status == 200)
        }
    }

    /// The test takes the list of all routes, so it cannot miss one.
    @Test func noRouteIsOpenToAnotherHostAndNoneThatChangesAnythingToAnotherSite() async throws {
        try await withScan { (service: LiveService, _: String) async throws in
            let routes = service.router.routes
            #expect(routes.count > 40)
            for route in routes {
                let (method, target) = (route.method.rawValue, route.pattern.replacing(/\{[a-z._]+\}/, with: "x"))
                let body: [UInt8]? = method == "GET" ? nil : []
                let elsewhere = try await service.request(method, target, host: "evil.example", body: body)
                #expect(elsewhere.status == 421, "\(method) \(target)")
                // A client of `/live` can store frames, so the route changes data.
                guard method != "GET" || target == "/live" else { continue }
                for fields in Self.foreign {
                    let upgrade =
                        method == "GET"
                        ? [
                            ("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"),
                            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
                        ] : []
                    let answer = try await service.request(method, target, headers: fields + upgrade, body: body)
                    #expect(answer.status == 403, "\(method) \(target) \(fields)")
                    // DeepStack's clients expect errors in their own format.
                    let error = try answer.object()
                    let isRefused =
                        target.hasPrefix("/v1/")
                        ? error["success"] as? Bool == false : error["type"] as? String == "/problems/cross-site"
                    #expect(isRefused, "\(method) \(target): \(answer.text)")
                }
            }
            #expect(try await total(service) == 1)
        }
    }

    @Test func ourOwnPageAndProgramsChangeWhatTheyLike() async throws {
        try await withScan { (service: LiveService, id: String) async throws in
            let own = "127.0.0.1:\(service.port)"
            let fields = [("Origin", "http://\(own)"), ("Sec-Fetch-Site", "same-origin")]
            #expect(try await service.request("DELETE", "/history/\(id)", host: own, headers: fields).status == 204)
            let plain = [("Origin", "http://\(own)")]
            #expect(try await service.request("DELETE", "/history", host: own, headers: plain).status == 204)
            #expect(try await service.request("DELETE", "/history", host: own).status == 204)
        }
    }

    // MARK: CORS

    @Test func aStarLetsPagesReadAndNothingElse() async throws {
        try await withScan(origins: .any) { (service: LiveService, id: String) async throws in
            let origin = ("Origin", "https://evil.example")
            let read = try await service.request("GET", "/history", headers: [origin])
            #expect(read.status == 200 && read.headers["access-control-allow-origin"] == "*")
            for method in ["DELETE", "PUT", "PATCH", "POST"] {
                let asked = try await service.request(
                    "OPTIONS", "/history/\(id)", headers: [origin, ("Access-Control-Request-Method", method)])
                #expect(asked.status == 204)
                #expect(!asked.headers.keys.contains { $0.hasPrefix("access-control-allow") }, "\(method)")
            }
            let deleted = try await service.request("DELETE", "/history", headers: [origin])
            #expect(deleted.status == 403)
            // The page is allowed to read the reason.
            #expect(deleted.headers["access-control-allow-origin"] == "*")
            #expect(deleted.headers["access-control-allow-credentials"] == nil)
            #expect(try await total(service) == 1)
        }
    }

    @Test func aListedOriginMayChangeThingsAndNoOther() async throws {
        try await withScan(origins: .listed(["https://app.example"])) {
            (service: LiveService, id: String) async throws in
            let asked = try await service.request(
                "OPTIONS", "/history/\(id)",
                headers: [("Origin", "https://app.example"), ("Access-Control-Request-Method", "DELETE")])
            #expect(asked.headers["access-control-allow-methods"]?.contains("DELETE") == true)
            for origin in ["https://evil.example", "http://app.example", "https://app.example.evil.example"] {
                let fields = [("Origin", origin), ("Sec-Fetch-Site", "cross-site")]
                #expect(try await service.request("DELETE", "/history", headers: fields).status == 403, "\(origin)")
            }
            let fields = [("Origin", "https://app.example"), ("Sec-Fetch-Site", "cross-site")]
            #expect(try await service.request("DELETE", "/history/\(id)", headers: fields).status == 204)
        }
    }
}
