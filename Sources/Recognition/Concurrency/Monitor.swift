import Glibc

/// State behind a lock, with waiting: what worker threads need and `Mutex` lacks.
///
/// `@unchecked Sendable` holds because `state` is only touched between lock and unlock of `mutex`.
final class Monitor<State>: @unchecked Sendable {
    private var state: State
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    init(_ state: State) {
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
    func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }

    /// What a waiting body wants next.
    enum Step<Result> {
        case done(Result)
        /// Look again after a signal.
        case wait
        /// Look again after a signal, or after so long.
        case waitFor(Duration)
    }

    /// Runs the body under the lock, again after each signal, until it is done.
    func waitUntil<Result>(_ body: (inout State) -> Step<Result>) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            switch body(&state) {
            case .done(let result):
                return result
            case .wait:
                pthread_cond_wait(condition, mutex)
            case .waitFor(let duration):
                var deadline = timespec()
                clock_gettime(CLOCK_MONOTONIC, &deadline)
                let (seconds, attoseconds) = duration.components
                let nanoseconds = deadline.tv_nsec + Int(max(0, attoseconds) / 1_000_000_000)
                deadline.tv_sec += Int(max(0, seconds)) + nanoseconds / 1_000_000_000
                deadline.tv_nsec = nanoseconds % 1_000_000_000
                pthread_cond_timedwait(condition, mutex, &deadline)
            }
        }
    }

    /// Wakes one waiting thread.
    func signal() { pthread_cond_signal(condition) }

    /// Wakes all waiting threads.
    func broadcast() { pthread_cond_broadcast(condition) }
}
