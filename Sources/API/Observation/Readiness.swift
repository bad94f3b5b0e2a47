import Base

/// Whether the service can answer photos, and if not, why.
package final class Readiness: Sendable {
    private let state: Locked<String?>

    package init() {
        state = Locked("The model has not answered its warm-up photo yet.")
    }

    /// Nil once everything is up.
    package var reason: String? { state.withLock { $0 } }

    /// Everything is up from now on.
    package func becomeReady() { state.withLock { $0 = nil } }

    /// Photos cannot be answered from now on, for a reason in words that clients read.
    package func becomeUnready(_ reason: String) { state.withLock { $0 = reason } }
}
