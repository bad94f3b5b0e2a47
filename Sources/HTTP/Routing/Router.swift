/// Finds the handler of a request. The routes are registered once and never change afterwards. The cost of a look-up
/// depends on the length of the path, not on the number of routes.
///
/// Patterns are `/breeds/{id}` (one segment) and `/files/{path...}` (the rest, not empty). A literal segment wins over
/// a named one, and a named one over a rest, whatever the method.
package struct Router: Sendable {
    enum Match: Sendable {
        case found(Route, PathParameters)
        /// The path is known, but only for the methods in `allowed`. A rest pattern makes no path known.
        case otherMethod(allowed: [Method])
        case nothing
    }

    /// The trie. Children are indices into it, and the first node is the root.
    private var nodes = [RouteNode()]
    private(set) var methods: Set<Method> = []

    package init() {}

    /// Registers a handler.
    /// - Parameters:
    ///   - pattern: starts with "/".
    ///   - bodyLimit: the largest body in bytes, in place of `ParserLimits.body`, for a handler that reads the body as
    ///   it arrives; nil keeps that limit.
    package mutating func on(_ method: Method, _ pattern: String, bodyLimit: Int? = nil, _ handler: Handler) {
        methods.insert(method)
        var node = 0
        var names: [String] = []
        var isRest = false
        for segment in pattern.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            if segment.hasPrefix("{"), segment.hasSuffix("...}") {
                names.append(String(segment.dropFirst().dropLast(4)))
                isRest = true
                break
            }
            if segment.hasPrefix("{"), segment.hasSuffix("}") {
                names.append(String(segment.dropFirst().dropLast()))
                node = nodes[node].named ?? add(below: node) { $0.named = $1 }
            } else {
                let key = Array(segment.utf8)
                node =
                    key.withUnsafeBufferPointer { nodes[node].literals[$0] }
                    ?? add(below: node) { $0.literals.insert(key, $1) }
            }
        }
        let route = Route(method: method, pattern: pattern, names: names, handler: handler, bodyLimit: bodyLimit)
        if isRest {
            nodes[node].restRoutes.append(route)
        } else {
            nodes[node].routes.append(route)
        }
    }

    /// Registers a handler for GET and HEAD.
    package mutating func get(_ pattern: String, _ handler: Handler) { on(.get, pattern, handler) }
    package mutating func post(_ pattern: String, bodyLimit: Int? = nil, _ handler: Handler) {
        on(.post, pattern, bodyLimit: bodyLimit, handler)
    }
    package mutating func put(_ pattern: String, _ handler: Handler) { on(.put, pattern, handler) }
    package mutating func patch(_ pattern: String, _ handler: Handler) { on(.patch, pattern, handler) }
    package mutating func delete(_ pattern: String, _ handler: Handler) { on(.delete, pattern, handler) }

    /// Every route, in no particular order.
    package var routes: [(method: Method, pattern: String)] {
        nodes.flatMap { $0.routes + $0.restRoutes }.map { ($0.method, $0.pattern) }
    }

    /// - Parameter path: a decoded and normalised path that starts with "/".
    func match(_ method: Method, _ path: String) -> Match {
        var path = path
        return path.withUTF8 { bytes in
            var search = RouteSearch(method: method, path: bytes)
            return search.run(nodes)
        }
    }

    private mutating func add(below parent: Int, _ link: (inout RouteNode, Int) -> Void) -> Int {
        nodes.append(RouteNode())
        link(&nodes[parent], nodes.count - 1)
        return nodes.count - 1
    }
}
