import Base

/// Whether the service can answer photos, and the reason if it cannot.
package final class Readiness: Sendable {
    private let state = Locked<String?>("The model has not answered its warm-up photo yet.")

    package init() {}

    /// The reason; nil once the service is ready.
    package var reason: String? { state.withLock { $0 } }

    /// Marks the service as ready.
    package func becomeReady() { state.withLock { $0 = nil } }

    /// Marks the service as not ready, with a reason that clients read.
    package func becomeUnready(_ reason: String) { state.withLock { $0 = reason } }
}
