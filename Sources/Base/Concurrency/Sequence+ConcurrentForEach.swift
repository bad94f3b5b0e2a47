extension Sequence where Element: Sendable {
    /// Works on some elements at a time and passes the results on in the order of the elements. At most twice the limit
    /// is held at a time, however long the sequence is.
    ///
    /// - Parameters:
    ///   - limit: the number of bodies that run at a time, at least 1.
    ///   - use: runs on the caller's task, once for each value in turn.
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
