/// Lets pages of other origins read responses (Fetch standard, "CORS protocol"). Only pages of listed origins may do
/// more than read. If any origin is allowed, only GET and HEAD are permitted.
package struct CORSMiddleware: Middleware {
    /// The pages that may read responses.
    package enum Origins: Sendable {
        case any
        /// Origins such as `https://zoo.example:8443`: scheme, host and port, compared as they are.
        case listed(Set<String>)
    }

    private static let methods: [Method] = [.get, .head, .post, .put, .patch, .delete]
    /// The time for which a preflight's answer holds, in seconds.
    private static let maxAge = "600"

    private let origins: Origins

    package init(origins: Origins) {
        self.origins = origins
    }

    /// Answers preflights. One from a foreign origin, or for a method that is not permitted, gets no permission, and
    /// the browser takes that for a refusal.
    package func before(_ request: inout Request) -> Response? {
        guard let wanted = preflightMethod(request) else { return nil }
        var response = Response(status: .noContent)
        addVary(&response.headers)
        response.headers.addVary("Access-Control-Request-Method")
        response.headers.addVary("Access-Control-Request-Headers")
        let methods: [Method] = if case .any = origins { [.get, .head] } else { Self.methods }
        guard let origin = request.headers["Origin"], isAllowed(origin), methods.contains(wanted) else {
            return response
        }
        allow(origin, &response.headers)
        response.headers["Access-Control-Allow-Methods"] = methods.map(\.rawValue).joined(separator: ", ")
        if let asked = request.headers["Access-Control-Request-Headers"], !asked.isEmpty {
            response.headers["Access-Control-Allow-Headers"] = asked
        }
        response.headers["Access-Control-Max-Age"] = Self.maxAge
        return response
    }

    package func after(_ request: Request, _ response: inout Response) {
        addVary(&response.headers)
        guard let origin = request.headers["Origin"], isAllowed(origin) else { return }
        // A preflight that was refused above must not be granted here.
        if preflightMethod(request) != nil, !response.headers.contains("Access-Control-Allow-Methods") { return }
        allow(origin, &response.headers)
        // Without credentials, which are never allowed, a star stands for every field.
        response.headers["Access-Control-Expose-Headers"] = "*"
    }

    /// The method that a preflight asks for; nil if the request is not a preflight.
    private func preflightMethod(_ request: Request) -> Method? {
        guard request.method == .options, request.headers.contains("Origin") else { return nil }
        return request.headers["Access-Control-Request-Method"].map(Method.init(rawValue:))
    }

    private func isAllowed(_ origin: String) -> Bool {
        switch origins {
        case .any: true
        case .listed(let origins): origins.contains(origin)
        }
    }

    /// Vary is added even without Origin, because a cache must not give this response to a page of another origin.
    private func addVary(_ headers: inout HeaderFields) {
        if case .listed = origins { headers.addVary("Origin") }
    }

    private func allow(_ origin: String, _ headers: inout HeaderFields) {
        switch origins {
        case .any: headers["Access-Control-Allow-Origin"] = "*"
        case .listed: headers["Access-Control-Allow-Origin"] = origin
        }
    }
}
