import Synchronization

/// A number that several tasks count up.
final class Counter: Sendable {
    private let number = Atomic<Int>(0)

    var value: Int { number.load(ordering: .sequentiallyConsistent) }

    func add(_ count: Int = 1) {
        number.add(count, ordering: .sequentiallyConsistent)
    }
}

/// It did not come true in a time that is far beyond what it takes.
struct NeverHappened: Error {}

/// Waits for a condition that another task or the server brings about.
func eventually(_ condition: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(90)
    while ContinuousClock.now < deadline {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(5))
    }
    throw NeverHappened()
}
