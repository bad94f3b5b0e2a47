/// The condition did not become true within a very long time.
package struct NeverHappened: Error {}

/// Waits for a condition that another task or the server brings about.
package func eventually(_ condition: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(90)
    while ContinuousClock.now < deadline {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(5))
    }
    throw NeverHappened()
}
