/// Lets pages of other origins read responses (Fetch standard, "CORS protocol").
package struct CORSMiddleware: Middleware {
    package struct Policy: Sendable {
        package enum Origins: Sendable {
            case any
            /// Such as `https://zoo.example:8443`: scheme, host and port, compared as they are.
            case listed(Set<String>)
        }

        package var origins: Origins
        package var methods: [Method]
        /// Request header fields beyond the safelisted ones; nil allows what the preflight asks for.
        package var headers: [String]?
        /// Response header fields that pages may read.
        package var exposedHeaders: [String]
        /// Whether cookies and authorization may be sent. Never together with `.any`: then it has no effect.
        package var allowsCredentials: Bool
        /// How long a preflight holds, in seconds.
        package var maxAge: Int

        package init(
            origins: Origins, methods: [Method] = [.get, .head, .post, .put, .patch, .delete], headers: [String]? = nil,
            exposedHeaders: [String] = [
                "ETag", "Location", "Retry-After", "Server-Timing", "X-Request-Id", "Content-Disposition",
            ],
            allowsCredentials: Bool = false, maxAge: Int = 600
        ) {
            self.origins = origins
            self.methods = methods
            self.headers = headers
            self.exposedHeaders = exposedHeaders
            self.allowsCredentials = allowsCredentials
            self.maxAge = maxAge
        }
    }

    private let policy: Policy

    package init(_ policy: Policy) {
        self.policy = policy
    }

    /// Answers preflights; one of a foreign origin gets no permission, which the browser takes for a no.
    package func before(_ request: inout Request) -> Response? {
        guard request.method == .options, let origin = request.headers["Origin"],
            request.headers.contains("Access-Control-Request-Method")
        else { return nil }
        var response = Response(status: .noContent)
        allow(origin, &response.headers)
        response.headers.addVary("Access-Control-Request-Method")
        response.headers.addVary("Access-Control-Request-Headers")
        guard isAllowed(origin) else { return response }
        response.headers["Access-Control-Allow-Methods"] = policy.methods.map(\.rawValue).joined(separator: ", ")
        let wanted = request.headers["Access-Control-Request-Headers"]
        if let headers = policy.headers.map({ $0.joined(separator: ", ") }) ?? wanted, !headers.isEmpty {
            response.headers["Access-Control-Allow-Headers"] = headers
        }
        response.headers["Access-Control-Max-Age"] = String(policy.maxAge)
        return response
    }

    package func after(_ request: Request, _ response: inout Response) {
        let origin = request.headers["Origin"]
        allow(origin, &response.headers)
        guard let origin, isAllowed(origin), !policy.exposedHeaders.isEmpty else { return }
        response.headers["Access-Control-Expose-Headers"] = policy.exposedHeaders.joined(separator: ", ")
    }

    private func isAllowed(_ origin: String) -> Bool {
        switch policy.origins {
        case .any: true
        case .listed(let origins): origins.contains(origin)
        }
    }

    private func allow(_ origin: String?, _ headers: inout HeaderFields) {
        switch policy.origins {
        case .any:
            if origin != nil { headers["Access-Control-Allow-Origin"] = "*" }
        case .listed(let origins):
            // Also without Origin: a cache must not give this response to a page of another origin.
            headers.addVary("Origin")
            guard let origin, origins.contains(origin) else { return }
            headers["Access-Control-Allow-Origin"] = origin
            if policy.allowsCredentials { headers["Access-Control-Allow-Credentials"] = "true" }
        }
    }
}
