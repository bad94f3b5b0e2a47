package import HTTP

/// The role that each route needs, in one place. A route outside the table is for admins only, and a test fails for it.
package enum RouteRoles {
    enum Requirement: Sendable {
        /// No key is needed.
        case open
        /// A key of that role, or of a higher one, is needed.
        case role(Role)
        /// The role depends on the request.
        case depends(@Sendable (Request, _ savesByDefault: Bool) -> Role)
    }

    private struct Route: Hashable {
        let method: Method
        let pattern: String
    }

    private static let table: [Route: Requirement] = {
        var table: [Route: Requirement] = [:]
        for (requirement, routes) in entries {
            for route in routes {
                let words = route.split(separator: " ")
                table[Route(method: Method(rawValue: String(words[0])), pattern: String(words[1]))] = requirement
            }
        }
        return table
    }()

    private static let entries: [(Requirement, [String])] = [
        // Health reveals nothing about anybody. The page and the document must be readable before signing in.
        (
            .open,
            [
                "GET /livez", "GET /readyz", "GET /v2/health/live", "GET /v2/health/ready", "GET /openapi.json",
                "GET /authority.crt", "GET /",
                // Blue Iris asks without a key. Both routes answer everybody alike.
                "POST /v1/vision/custom/list", "GET /v1/status/updateavailable",
                "GET /{path...}", "GET /session", "POST /session", "DELETE /session",
            ]
        ),
        (
            .role(.reader),
            [
                "GET /breeds", "GET /breeds/{id}", "GET /breeds/list/all", "GET /breeds/{id}/photos",
                "GET /breeds/{id}/photos/{name}", "GET /favourites", "GET /collection", "GET /history",
                "GET /history/{id}",
                "GET /history/{id}/photo", "GET /history/{id}/thumbnail", "GET /history/export", "GET /models",
                "GET /models/{name}", "GET /models/default", "POST /detect", "GET /v2", "GET /v2/models/{name}",
                "GET /v2/models/{name}/ready", "GET /v2/models/{name}/versions/{version}",
                "GET /v2/models/{name}/versions/{version}/ready", "POST /v2/repository/index",
                "GET /v2/models/stats", "GET /v2/models/{name}/stats", "GET /v2/models/{name}/versions/{version}/stats",
                "GET /v2/models/{name}/config", "GET /v2/models/{name}/versions/{version}/config",
                "GET /individuals", "GET /training", "GET /training/{id}", "GET /training/{id}/events",
                "GET /training/{id}/report",
                "GET /training/{id}/confusion", "GET /training/{id}/curve", "GET /training/{id}/errors/{number}",
                // Inference stores nothing, like POST /detect.
                "POST /v2/models/{name}/infer", "POST /v2/models/{name}/versions/{version}/infer",
                "POST /v1/vision/detection", "POST /v1/vision/custom/{model}", "POST /api/v1/vision/labels",
                "GET /videos", "GET /videos/{id}", "GET /videos/{id}/events", "GET /videos/{id}/tracks",
                "GET /videos/{id}/annotated", "GET /videos/{id}/frames/{at_ms}", "GET /laps/labels",
                "GET /cameras", "GET /cameras/{id}", "GET /cameras/{id}/picture", "GET /cameras/{id}/sightings",
                "GET /cameras/{id}/sightings/{sighting}/picture",
            ]
        ),
        (.depends { classification($0, savesByDefault: $1) }, ["POST /classify"]),
        (
            .role(.user),
            [
                "PATCH /history/{id}", "DELETE /history/{id}", "POST /history/deletions/{id}/undo",
                "PUT /breeds/{id}/favourite", "DELETE /breeds/{id}/favourite", "POST /videos", "DELETE /videos/{id}",
                // A camera's client may save frames and time them.
                "GET /live", "POST /laps", "GET /laps", "GET /laps/{id}", "DELETE /laps/{id}", "PUT /laps/{id}/state",
                "PUT /laps/{id}/line",
                "GET /laps/{id}/events", "GET /laps/{id}/export", "DELETE /laps/{id}/laps/{number}",
                "GET /laps/{id}/laps/{number}/photo",
            ]
        ),
        (.depends { request, _ in deletion(request) }, ["DELETE /history"]),
        (
            .role(.admin),
            [
                "POST /training", "POST /evaluation", "DELETE /training/{id}", "PUT /training/{id}/deployment",
                "DELETE /training/{id}/deployment",
                // Adding a camera makes the service open an address.
                "POST /cameras", "PATCH /cameras/{id}", "DELETE /cameras/{id}",
                "POST /models", "PATCH /models/{name}", "DELETE /models/{name}",
                "POST /history/import", "POST /models/{name}/load", "POST /models/{name}/unload", "PUT /models/default",
                "POST /v2/repository/models/{name}/load", "POST /v2/repository/models/{name}/unload", "GET /metrics",
                "GET /keys", "POST /keys", "POST /keys/{name}/rotate", "DELETE /keys/{name}",
            ]
        ),
    ]

    /// The routes in the table, such as `GET /breeds`.
    static var known: Set<String> { Set(table.keys.map { "\($0.method) \($0.pattern)" }) }

    /// The role that a request needs; nil if it needs none. A request without a route needs none.
    package static func role(for request: Request, savesByDefault: Bool) -> Role? {
        guard let pattern = request.route else { return nil }
        let method = request.method == .head ? Method.get : request.method
        switch table[Route(method: method, pattern: pattern)] {
        case .open: return nil
        case .role(let role): return role
        case .depends(let role): return role(request, savesByDefault)
        case nil: return .admin
        }
    }

    /// Whether a route's key may be in its form, which its endpoint reads and checks.
    static func takesKeyInForm(_ route: String?) -> Bool {
        route == "/v1/vision/detection" || route == "/v1/vision/custom/{model}"
    }

    /// Whether a route only tells the service's health. Such requests have no limit, or a busy client could make the
    /// service look dead.
    static func isHealth(_ route: String?) -> Bool {
        route == "/livez" || route == "/readyz" || route == "/v2/health/live" || route == "/v2/health/ready"
    }

    /// A classification that saves nothing changes nothing, so a reader may make it.
    private static func classification(_ request: Request, savesByDefault: Bool) -> Role {
        switch request.query.values(for: "save") {
        case []: savesByDefault ? .user : .reader
        case ["false"], ["0"]: .reader
        default: .user
        }
    }

    /// A user may delete scans that the request names one by one.
    private static func deletion(_ request: Request) -> Role {
        request.query.values(for: "id").isEmpty ? .admin : .user
    }
}
