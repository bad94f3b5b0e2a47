import HTTP
import Testing

@Suite("CORS")
struct CORSMiddlewareTests {
    static let listed = CORSMiddleware(origins: .listed(["https://zoo.example"]))

    static func preflight(_ origin: String, _ middleware: CORSMiddleware = listed) -> Response? {
        var request = Request(
            method: .options,
            headers: [
                "Origin": origin, "Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "x-a, x-b",
            ])
        return middleware.before(&request)
    }

    @Test("answers the preflight of a listed origin")
    func allowed() throws {
        let response = try #require(Self.preflight("https://zoo.example"))
        #expect(response.status == .noContent)
        #expect(response.headers["Access-Control-Allow-Origin"] == "https://zoo.example")
        #expect(response.headers["Access-Control-Allow-Methods"]?.contains("PUT") == true)
        #expect(response.headers["Access-Control-Allow-Headers"] == "x-a, x-b")
        #expect(response.headers["Access-Control-Max-Age"] == "600")
        #expect(!response.headers.contains("Access-Control-Allow-Credentials"))
        #expect(
            response.headers["Vary"] == "Origin, Access-Control-Request-Method, Access-Control-Request-Headers")
    }

    @Test(
        "permits nothing to a foreign origin", arguments: ["https://evil.example", "https://zoo.example:8443", "null"])
    func foreign(origin: String) throws {
        let response = try #require(Self.preflight(origin))
        for name in ["Origin", "Methods", "Headers"] {
            #expect(!response.headers.contains("Access-Control-Allow-\(name)"))
        }
    }

    @Test("leaves other requests to the router")
    func otherRequests() {
        var options = Request(method: .options, headers: ["Origin": "https://zoo.example"])
        #expect(Self.listed.before(&options) == nil)
        var get = Request(headers: ["Origin": "https://zoo.example", "Access-Control-Request-Method": "PUT"])
        #expect(Self.listed.before(&get) == nil)
    }

    @Test("marks responses, once even when it meets its own preflight again")
    func marking() {
        var response = Response()
        for _ in 0..<2 { Self.listed.after(Request(headers: ["Origin": "https://zoo.example"]), &response) }
        #expect(response.headers.values(for: "Access-Control-Allow-Origin") == ["https://zoo.example"])
        // Pages read every field, such as Inference-Header-Content-Length and RateLimit.
        #expect(response.headers.values(for: "Access-Control-Expose-Headers") == ["*"])
        #expect(response.headers.values(for: "Vary") == ["Origin"])
        var other = Response()
        Self.listed.after(Request(), &other)
        #expect(other.headers == ["Vary": "Origin"])
    }

    @Test("any origin means a star, without credentials and without Vary")
    func any() {
        var response = Response()
        CORSMiddleware(origins: .any).after(Request(headers: ["Origin": "null"]), &response)
        #expect(response.headers["Access-Control-Allow-Origin"] == "*")
        #expect(!response.headers.contains("Access-Control-Allow-Credentials") && !response.headers.contains("Vary"))
    }

    @Test("any origin may read, and nothing else", arguments: ["PUT", "DELETE", "POST", "PATCH", "get"])
    func anyReads(method: String) throws {
        let middleware = CORSMiddleware(origins: .any)
        func preflight(_ method: String) throws -> Response {
            var request = Request(
                method: .options, headers: ["Origin": "https://evil.example", "Access-Control-Request-Method": method])
            var response = try #require(middleware.before(&request))
            middleware.after(request, &response)
            return response
        }
        #expect(try !preflight(method).headers.contains { $0.name.hasPrefix("Access-Control-Allow") })
        #expect(try preflight("GET").headers["Access-Control-Allow-Methods"] == "GET, HEAD")
        #expect(try preflight("GET").headers["Access-Control-Allow-Origin"] == "*")
    }
}
