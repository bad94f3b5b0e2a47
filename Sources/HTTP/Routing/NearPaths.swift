/// Finds the route that a mistyped path may have meant.
package struct NearPaths: Sendable {
    /// Each route's segments; nil is a parameter, which matches any segment.
    private let patterns: [[[UInt8]?]]

    /// - Parameter router: the router. Routes that take any rest are left out, for they are near to everything.
    package init(_ router: Router) {
        let patterns = Set(router.routes.map(\.pattern)).filter { $0 != "/" && !$0.hasSuffix("...}") }
        self.patterns = patterns.sorted().map { pattern in
            pattern.split(separator: "/").map { $0.hasPrefix("{") ? nil : Array($0.utf8) }
        }
    }

    /// The routes' paths that resemble `path`, nearest first. The result is empty if `path` has a route.
    package func near(_ path: String) -> [String] {
        let segments = path.split(separator: "/")
        let wanted = segments.map { Array($0.lowercased().utf8.prefix(NearNames.longest + 1)) }
        var found: [(path: String, distance: Int)] = []
        for pattern in patterns where pattern.count == wanted.count {
            guard let distance = Self.distance(wanted, pattern) else { continue }
            let names = zip(segments, pattern).map { given, literal in
                literal.map { String(decoding: $0, as: UTF8.self) } ?? String(given)
            }
            let meant = "/" + names.joined(separator: "/")
            if meant == path { return [] }
            found.append((meant, distance))
        }
        return found.sorted { ($0.distance, $0.path) < ($1.distance, $1.path) }.prefix(NearNames.count).map(\.path)
    }

    private static func distance(_ wanted: [[UInt8]], _ pattern: [[UInt8]?]) -> Int? {
        var sum = 0
        for (segment, literal) in zip(wanted, pattern) {
            guard let literal else { continue }
            guard let distance = NearNames.distance(segment, literal) else { return nil }
            sum += distance
        }
        return sum
    }
}
