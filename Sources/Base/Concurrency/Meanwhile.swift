/// Runs the body, and other work beside it, which is cancelled and waited for when the body has ended.
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
