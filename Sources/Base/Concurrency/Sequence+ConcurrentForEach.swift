extension Sequence where Element: Sendable {
    /// Works on some elements at a time and hands on what came of each in the order of the elements. However long the
    /// sequence is, no more than twice the limit is held at a time.
    ///
    /// - Parameters:
    ///   - limit: how many bodies run at a time, at least 1.
    ///   - use: is called by the caller's task, one value after the other.
    package func concurrentForEach<Value: Sendable>(
        atOnce limit: Int, _ body: @escaping @Sendable (Element) async -> Value, use: (Value) throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: (Int, Value).self) { group in
            let limit = Swift.max(1, limit)
            var elements = makeIterator()
            var (begun, running, used) = (0, 0, 0)
            var waiting: [Int: Value] = [:]
            while true {
                while running < limit, begun - used < 2 * limit, let element = elements.next() {
                    let index = begun
                    group.addTask { (index, await body(element)) }
                    begun += 1
                    running += 1
                }
                guard let (index, value) = try await group.next() else { return }
                running -= 1
                waiting[index] = value
                while let next = waiting.removeValue(forKey: used) {
                    try use(next)
                    used += 1
                }
            }
        }
    }
}
