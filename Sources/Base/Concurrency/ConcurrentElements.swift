extension Sequence where Element: Sendable {
    /// Works on some elements at a time and passes the results on in the order of the elements. At most twice the limit
    /// is held at a time, however long the sequence is.
    ///
    /// - Parameters:
    ///   - limit: the number of bodies that run at a time, at least 1.
    ///   - use: runs on the caller's task, once for each value in turn.
    /// - Throws: the first error. The other bodies are then cancelled.
    package func concurrentForEach<Value: Sendable>(
        atOnce limit: Int, _ body: @escaping @Sendable (Element) async throws -> Value, use: (Value) throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: (Int, Value).self) { group in
            let limit = Swift.max(1, limit)
            var elements = makeIterator()
            var (begun, running, used) = (0, 0, 0)
            var waiting: [Int: Value] = [:]
            while true {
                while running < limit, begun - used < 2 * limit, let element = elements.next() {
                    let index = begun
                    group.addTask { (index, try await body(element)) }
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

extension Collection where Self: Sendable, Element: Sendable {
    /// Maps the elements concurrently, and returns the results in the order of the elements.
    ///
    /// - Parameters:
    ///   - limit: the number of bodies that run at a time, at least 1.
    ///   - progress: receives the number of finished bodies after each of them.
    /// - Throws: the error of the first body that fails. The others are cancelled.
    package func concurrentMap<Value: Sendable>(
        atOnce limit: Int = .max, progress: (Int) -> Void = { _ in },
        _ body: @escaping @Sendable (Element) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: (Int, Value).self) { group in
            var values = [Value?](repeating: nil, count: count)
            var finished = 0
            func take(_ result: (Int, Value)) {
                values[result.0] = result.1
                finished += 1
                progress(finished)
            }
            for (index, element) in enumerated() {
                if index >= Swift.max(1, limit), let result = try await group.next() { take(result) }
                group.addTask { (index, try await body(element)) }
            }
            for try await result in group { take(result) }
            return values.compactMap(\.self)
        }
    }
}
