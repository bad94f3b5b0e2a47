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
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
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
        /// Look again after a signal, or at this time.
        case waitUntil(ContinuousClock.Instant)
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
            case .waitUntil(let time):
                var end = Self.monotonicTime(of: time)
                pthread_cond_timedwait(condition, mutex, &end)
            }
        }
    }

    /// A time on the clock of the condition, which a change of the system's time does not move.
    @usableFromInline static func monotonicTime(of time: ContinuousClock.Instant) -> timespec {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let (seconds, attoseconds) = max(.zero, time - .now).components
        let nanoseconds = now.tv_nsec + Int(attoseconds / 1_000_000_000)
        return timespec(
            tv_sec: now.tv_sec + Int(seconds) + nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
    }

    /// Wakes one waiting thread.
    package func signal() { pthread_cond_signal(condition) }

    /// Wakes all waiting threads.
    package func broadcast() { pthread_cond_broadcast(condition) }
}
