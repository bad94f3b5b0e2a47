/// What was registered.
struct Route: Sendable {
    let method: Method
    let pattern: String
    /// Of the named segments, in order.
    let names: [String]
    let handler: Handler
}

/// A place in the router's trie; children are indices into the router's nodes.
struct RouteNode: Sendable {
    var literals: [String: Int] = [:]
    var named: Int?
    /// Of the path that ends here.
    var routes: [Route] = []
    /// Of the paths that go on below here in any way.
    var restRoutes: [Route] = []
}

/// One walk through the trie.
struct RouteSearch {
    let method: Method
    let path: String
    private var values: [String] = []
    private var allowed: [Method] = []

    init(method: Method, path: String) {
        self.method = method
        self.path = path
    }

    mutating func run(_ nodes: [RouteNode]) -> Router.Match {
        guard path.utf8.first == UInt8(ascii: "/") else { return .nothing }
        if let route = find(nodes, node: 0, from: path.utf8.index(after: path.utf8.startIndex)) {
            guard !values.isEmpty else { return .found(route, PathParameters()) }
            return .found(route, PathParameters(zip(route.names, values).map { ($0, $1) }))
        }
        return allowed.isEmpty ? .nothing : .otherMethod(allowed: allowed)
    }

    /// - Parameter start: of the segment to be matched below the node.
    private mutating func find(_ nodes: [RouteNode], node: Int, from start: String.Index) -> Route? {
        let bytes = path.utf8
        let end = bytes[start...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
        let segment = String(path[start..<end])
        let isLast = end == bytes.endIndex
        if let child = nodes[node].literals[segment],
            let route = isLast ? choose(nodes[child].routes) : find(nodes, node: child, from: bytes.index(after: end))
        {
            return route
        }
        if let child = nodes[node].named, !segment.isEmpty {
            values.append(segment)
            let route = isLast ? choose(nodes[child].routes) : find(nodes, node: child, from: bytes.index(after: end))
            if let route { return route }
            values.removeLast()
        }
        guard !nodes[node].restRoutes.isEmpty, start < bytes.endIndex, let route = choose(nodes[node].restRoutes) else {
            return nil
        }
        values.append(String(path[start...]))
        return route
    }

    /// HEAD is answered by the route of GET (RFC 9110 §9.3.2).
    private mutating func choose(_ routes: [Route]) -> Route? {
        for route in routes where route.method == method { return route }
        if method == .head {
            for route in routes where route.method == .get { return route }
        }
        for route in routes where !allowed.contains(route.method) { allowed.append(route.method) }
        return nil
    }
}
