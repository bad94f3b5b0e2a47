extension Collection where Self: Sendable, Element: Sendable {
    /// Maps the elements concurrently, and returns the results in the order of the elements.
    ///
    /// - Parameter limit: the number of bodies that run at a time, at least 1.
    /// - Throws: the error of the first body that fails. The others are cancelled.
    package func concurrentMap<Value: Sendable>(
        atOnce limit: Int = .max, _ body: @escaping @Sendable (Element) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: (Int, Value).self) { group in
            var values = [Value?](repeating: nil, count: count)
            for (index, element) in enumerated() {
                if index >= Swift.max(1, limit), let (done, value) = try await group.next() { values[done] = value }
                group.addTask { (index, try await body(element)) }
            }
            for try await (index, value) in group { values[index] = value }
            return values.compactMap(\.self)
        }
    }
}
