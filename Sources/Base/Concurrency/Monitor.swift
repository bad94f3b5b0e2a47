package import Glibc

/// State behind a lock with a condition to wait for, which worker threads need in addition to ``Locked``.
///
/// `@unchecked Sendable` holds because `state` is only touched between lock and unlock of `mutex`.
package final class Monitor<State>: @unchecked Sendable {
    @usableFromInline var state: State
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let condition: UnsafeMutablePointer<pthread_cond_t>

    package init(_ state: State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Reads or changes the state.
    @inlinable package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }

    @frozen package enum Step<Result> {
        case done(Result)
        /// Look again after a signal.
        case wait
    }

    /// Runs the body under the lock, again after each signal, until it is done.
    @inlinable package func waitUntil<Result>(_ body: (inout State) -> Step<Result>) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            switch body(&state) {
            case .done(let result):
                return result
            case .wait:
                pthread_cond_wait(condition, mutex)
            }
        }
    }

    /// Wakes one waiting thread.
    package func signal() { pthread_cond_signal(condition) }

    /// Wakes all waiting threads.
    package func broadcast() { pthread_cond_broadcast(condition) }
}
