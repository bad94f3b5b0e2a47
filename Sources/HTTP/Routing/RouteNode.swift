struct Route: Sendable {
    let method: Method
    let pattern: String
    /// The names of the pattern's parameters, in order.
    let names: [String]
    let handler: Handler
    /// The largest body in bytes, in place of ``ParserLimits/body``; nil keeps that limit.
    let bodyLimit: Int?
}

/// A node of the router's trie. Children are indices into the router's nodes.
struct RouteNode: Sendable {
    var literals = SegmentTable()
    var named: Int?
    /// The routes whose pattern ends here.
    var routes: [Route] = []
    /// The routes whose pattern ends here in a rest parameter, which takes any further segments.
    var restRoutes: [Route] = []
}

/// One walk through the trie.
struct RouteSearch {
    let method: Method
    /// The path in UTF-8. The pointer is valid during the search only.
    let path: UnsafeBufferPointer<UInt8>
    private var values: [String] = []
    private var allowed: [Method] = []

    init(method: Method, path: UnsafeBufferPointer<UInt8>) {
        self.method = method
        self.path = path
    }

    mutating func run(_ nodes: [RouteNode]) -> Router.Match {
        guard path.first == UInt8(ascii: "/") else { return .nothing }
        if let route = find(nodes, node: 0, from: 1) {
            return .found(route, PathParameters(names: route.names, values: values))
        }
        return allowed.isEmpty ? .nothing : .otherMethod(allowed: allowed)
    }

    /// - Parameter start: the index of the segment to match below the node.
    private mutating func find(_ nodes: [RouteNode], node: Int, from start: Int) -> Route? {
        var end = start
        while end < path.count, path[end] != UInt8(ascii: "/") { end += 1 }
        let segment = UnsafeBufferPointer(rebasing: path[start..<end])
        let isLast = end == path.count
        if let child = nodes[node].literals[segment],
            let route = isLast ? choose(nodes[child].routes) : find(nodes, node: child, from: end + 1)
        {
            return route
        }
        // A path that is registered with other methods names that resource and gets 405. No parameter or rest pattern
        // may match it.
        guard allowed.isEmpty else { return nil }
        if let child = nodes[node].named, !segment.isEmpty {
            values.append(String(decoding: segment, as: UTF8.self))
            let route = isLast ? choose(nodes[child].routes) : find(nodes, node: child, from: end + 1)
            if let route { return route }
            values.removeLast()
        }
        // Whether anything is at a path that only a rest pattern matches, its handler alone knows. So the pattern's
        // other methods are not allowed ones.
        guard allowed.isEmpty, start < path.count, let route = route(in: nodes[node].restRoutes) else { return nil }
        values.append(String(decoding: UnsafeBufferPointer(rebasing: path[start...]), as: UTF8.self))
        return route
    }

    private mutating func choose(_ routes: [Route]) -> Route? {
        if let route = route(in: routes) { return route }
        for route in routes where !allowed.contains(route.method) { allowed.append(route.method) }
        return nil
    }

    /// The route of GET also answers HEAD (RFC 9110 §9.3.2).
    private func route(in routes: [Route]) -> Route? {
        routes.first { $0.method == method } ?? (method == .head ? routes.first { $0.method == .get } : nil)
    }
}
