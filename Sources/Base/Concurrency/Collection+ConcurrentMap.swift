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
