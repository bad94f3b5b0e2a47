/// Finds the handler of a request. It is built once and then never changes; the cost of a look-up depends on the length
/// of the path, not on the number of routes.
///
/// Patterns: `/breeds/{id}` (one segment) and `/files/{path...}` (the rest, at least one segment). A literal segment wins
/// over a named one, and that over a rest.
package struct Router: Sendable {
    /// One place of the trie. A class so that building is simple; after building it is never written.
    private var root = RouteNode()

    package init() {}

    package mutating func on(_ method: Method, _ pattern: String, _ handler: Handler) {
        let segments = pattern.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        root.insert(Route(method: method, pattern: pattern, handler: handler), at: segments[...], names: [])
    }

    package mutating func get(_ pattern: String, _ handler: Handler) { on(.get, pattern, handler) }
    package mutating func post(_ pattern: String, _ handler: Handler) { on(.post, pattern, handler) }
    package mutating func put(_ pattern: String, _ handler: Handler) { on(.put, pattern, handler) }
    package mutating func patch(_ pattern: String, _ handler: Handler) { on(.patch, pattern, handler) }
    package mutating func delete(_ pattern: String, _ handler: Handler) { on(.delete, pattern, handler) }

    /// Every route, in no particular order.
    package var routes: [(method: Method, pattern: String)] {
        root.allRoutes().map { ($0.method, $0.pattern) }
    }
}
