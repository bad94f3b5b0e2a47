/// What was registered.
struct Route: Sendable {
    let method: Method
    let pattern: String
    /// The names of the pattern's parameters, in order.
    let names: [String]
    let handler: Handler
    /// Bytes of the largest body in place of ``ParserLimits/body``; nil where that holds.
    let bodyLimit: Int?
}

/// A place in the router's trie; children are indices into the router's nodes.
struct RouteNode: Sendable {
    var literals = SegmentTable()
    var named: Int?
    /// The routes whose pattern ends here.
    var routes: [Route] = []
    /// Of the paths that go on below here in any way.
    var restRoutes: [Route] = []
}

/// One walk through the trie.
struct RouteSearch {
    let method: Method
    /// Of UTF-8; valid for as long as the search.
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

    /// - Parameter start: of the segment to be matched below the node.
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
        // A path that is known with other methods is that resource, neither another's name nor one of the rest: it gets
        // 405.
        guard allowed.isEmpty else { return nil }
        if let child = nodes[node].named, !segment.isEmpty {
            values.append(String(decoding: segment, as: UTF8.self))
            let route = isLast ? choose(nodes[child].routes) : find(nodes, node: child, from: end + 1)
            if let route { return route }
            values.removeLast()
        }
        guard allowed.isEmpty, !nodes[node].restRoutes.isEmpty, start < path.count,
            let route = choose(nodes[node].restRoutes)
        else { return nil }
        values.append(String(decoding: UnsafeBufferPointer(rebasing: path[start...]), as: UTF8.self))
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
