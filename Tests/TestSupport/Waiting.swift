/// The condition did not become true within a very long time.
package struct NeverHappened: Error {}

/// Waits for a condition that another task or the server brings about.
package func eventually(
    within limit: Duration = .seconds(90), every pause: Duration = .milliseconds(5),
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while ContinuousClock.now < deadline {
        if try await condition() { return }
        try await Task.sleep(for: pause)
    }
    throw NeverHappened()
}
