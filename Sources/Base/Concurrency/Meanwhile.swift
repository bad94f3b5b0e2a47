/// Runs the body and, beside it, other work. When the body ends, the work is cancelled and waited for.
package func meanwhile<Value: Sendable>(
    _ work: @escaping @Sendable () async -> Void, _ body: () async throws -> Value
) async throws -> Value {
    let task = Task(operation: work)
    do {
        let value = try await body()
        task.cancel()
        await task.value
        return value
    } catch {
        task.cancel()
        await task.value
        throw error
    }
}
