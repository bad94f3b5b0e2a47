package import Glibc

/// State behind a POSIX mutex, the one kind of lock in this package.
///
/// It is not `Synchronization.Mutex`, because the thread sanitizer does not see that type's futex and would report a
/// race for every use.
///
/// `@unchecked Sendable` holds because the state is reached only through ``withLock(_:)``, which holds the mutex.
package final class Locked<State: ~Copyable>: @unchecked Sendable {
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline var state: State

    package init(_ state: consuming sending State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Reads or changes the state. Others wait during the call, so the body must be short and must not block.
    @inlinable package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }
}
