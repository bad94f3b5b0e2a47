/// Finds what a mistyped name may have meant. It runs on a connection's loop: a name of more than ``longest`` bytes is near
/// nothing, and candidates of another length are passed over unread.
package enum NearNames {
    /// Bytes of the longest name that is compared.
    package static let longest = 64
    /// Names that are suggested at most.
    package static let count = 3

    /// The candidates that are near, nearest first, equally near ones in their order.
    package static func of(_ name: String, among candidates: some Sequence<String>) -> [String] {
        let wanted = Array(name.lowercased().utf8.prefix(longest + 1))
        return candidates.compactMap { candidate in
            distance(wanted, Array(candidate.lowercased().utf8)).map { (candidate, $0) }
        }
        .enumerated().sorted { ($0.element.1, $0.offset) < ($1.element.1, $1.offset) }
        .prefix(count).map(\.element.0)
    }

    /// How many characters have to be put in, left out, replaced, or swapped with the next one to make one name of the
    /// other (optimal string alignment); 1 where one is the beginning of the other; nil where they are not near: a third
    /// of the shorter name may be wrong, up to four characters.
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
    /// The same problem with what may have been meant: in its words, and as the member `near`.
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
