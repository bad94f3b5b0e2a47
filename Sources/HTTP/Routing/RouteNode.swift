/// What was registered.
struct Route: Sendable {
    let method: Method
    let pattern: String
    let handler: Handler
}

/// A place in the router's trie.
struct RouteNode: Sendable {
    /// What lies here, when the path ends here.
    struct Resource: Sendable {
        var names: [String] = []
        var routes: [Route] = []
    }

    var literals: [String: RouteNode] = [:]
    /// At most one element: a struct cannot hold itself.
    var named: [RouteNode] = []
    var resource = Resource()
    var rest: Resource?

    mutating func insert(_ route: Route, at segments: ArraySlice<String>, names: [String]) {
        guard let segment = segments.first else {
            resource.names = names
            resource.routes.append(route)
            return
        }
        let remaining = segments.dropFirst()
        if segment.hasPrefix("{"), segment.hasSuffix("...}") {
            var resource = rest ?? Resource()
            resource.names = names + [String(segment.dropFirst().dropLast(4))]
            resource.routes.append(route)
            rest = resource
        } else if segment.hasPrefix("{"), segment.hasSuffix("}") {
            if named.isEmpty { named.append(RouteNode()) }
            named[0].insert(route, at: remaining, names: names + [String(segment.dropFirst().dropLast())])
        } else {
            literals[segment, default: RouteNode()].insert(route, at: remaining, names: names)
        }
    }

    func allRoutes() -> [Route] {
        resource.routes + (rest?.routes ?? []) + literals.values.flatMap { $0.allRoutes() }
            + named.flatMap { $0.allRoutes() }
    }
}
