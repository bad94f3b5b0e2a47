/// The condition did not become true within a very long time.
package struct NeverHappened: Error {}

/// Waits for a condition that another task or the server brings about.
///
/// - Parameter interval: the time between two looks. Nil means 5 ms at first and 25 ms later. A look may be a request,
///   which takes processor time from what it waits for.
package func eventually(
    within limit: Duration = .seconds(90), every interval: Duration? = nil,
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    var pause = interval ?? .milliseconds(5)
    while ContinuousClock.now < deadline {
        if try await condition() { return }
        try await Task.sleep(for: pause)
        if interval == nil { pause = min(pause * 1.25, .milliseconds(25)) }
    }
    throw NeverHappened()
}
