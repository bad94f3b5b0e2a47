/// Finds what a mistyped name may have meant. It runs on a connection's loop, so it rejects a name of more than
/// ``longest`` bytes, and skips candidates of very different length unread.
package enum NearNames {
    /// The longest name that is compared, in bytes.
    package static let longest = 64
    /// The largest number of suggestions.
    package static let count = 3

    /// The near candidates, nearest first. Equally near ones keep their order.
    package static func of(_ name: String, among candidates: some Sequence<String>) -> [String] {
        let wanted = Array(name.lowercased().utf8.prefix(longest + 1))
        return candidates.compactMap { candidate in
            distance(wanted, Array(candidate.lowercased().utf8)).map { (candidate, $0) }
        }
        .enumerated().sorted { ($0.element.1, $0.offset) < ($1.element.1, $1.offset) }
        .prefix(count).map(\.element.0)
    }

    /// The number of characters to insert, delete, replace or swap with the next one to turn one name into the other
    /// (optimal string alignment). The result is 1 if one name begins with the other, and nil if they are not near: a
    /// third of the shorter name may be wrong, up to four characters.
    static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int? {
        let shorter = min(left.count, right.count)
        guard shorter > 0, max(left.count, right.count) <= longest else { return nil }
        if left == right { return 0 }
        if shorter >= 3, left.starts(with: right) || right.starts(with: left) { return 1 }
        let limit = min(4, max(1, shorter / 3))
        guard abs(left.count - right.count) <= limit else { return nil }
        var (before, previous) = ([Int](), Array(0...right.count))
        for row in 1...left.count {
            var current = [row]
            current.reserveCapacity(right.count + 1)
            for column in 1...right.count {
                let isSame = left[row - 1] == right[column - 1]
                var cost = min(previous[column] + 1, current[column - 1] + 1, previous[column - 1] + (isSame ? 0 : 1))
                if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                    cost = min(cost, before[column - 2] + 1)
                }
                current.append(cost)
            }
            guard current.contains(where: { $0 <= limit }) else { return nil }
            (before, previous) = (previous, current)
        }
        return previous[right.count] <= limit ? previous[right.count] : nil
    }
}

extension ProblemDetails {
    /// A copy of the problem that names the suggestions in its detail and in the member `near`.
    package func suggesting(_ near: [String]) -> ProblemDetails {
        guard !near.isEmpty else { return self }
        var problem = self
        let names = near.map { "“\($0)”" }
        let list =
            names.count > 1 ? names.dropLast().joined(separator: ", ") + " or " + names[names.count - 1] : names[0]
        problem.detail = [detail, "Did you mean \(list)?"].compactMap(\.self).joined(separator: " ")
        problem.extensions["near"] = .array(near.map(JSONValue.string))
        return problem
    }
}
