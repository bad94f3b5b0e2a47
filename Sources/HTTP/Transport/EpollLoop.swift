import Base
import CSystemCalls
import Dispatch
import Glibc

/// An event loop on epoll(7), edge-triggered. A descriptor is registered once for its whole life, and a request costs
/// one wait, one read and one write.
///
/// `@unchecked Sendable`: all state except `inbox` is used by the loop's own thread only. Every entry point except
/// `execute` and `stop` must be called there.
final class EpollLoop: EventLoop, @unchecked Sendable {
    private struct Inbox {
        var jobs: [@Sendable () -> Void] = []
        var isWoken = false
        var isStopped = false
        /// Whether the thread has ended, so that nobody takes jobs from here.
        var isFinished = false
    }

    private enum Delivery {
        case queued, queuedForSleeper, late
    }

    private(set) var now: UInt64
    private let descriptors: EpollDescriptors
    /// An eventfd(2) that ends a wait.
    private let waker: CInt
    private let inbox = Locked(Inbox())
    @exclusivity(unchecked) private var lingering = Lingering()
    private var thread: WorkerThread?
    /// The queue for jobs that come after the end, one at a time.
    private let lateJobs = DispatchQueue(label: "menagerie.http.loop.late")

    init() throws(SystemCallError) {
        now = KernelClock.monotonicMilliseconds
        descriptors = try EpollDescriptors(now: now)
        waker = eventfd(0, CInt(EFD_NONBLOCK | EFD_CLOEXEC))
        guard waker >= 0 else { throw SystemCallError(call: "eventfd", code: errno) }
        try descriptors.add(waker, nil)
    }

    deinit {
        _ = Glibc.close(waker)
    }

    /// Starts the thread, which keeps the loop alive until ``stop()``.
    func start() throws(SystemCallError) {
        do {
            thread = try WorkerThread { self.run() }
        } catch {
            throw SystemCallError(call: "pthread_create", code: error.code)
        }
    }

    /// Ends the thread after the jobs that are there, and waits for it. Call it once, from any other thread.
    func stop() {
        inbox.withLock { $0.isStopped = true }
        wake()
        thread?.join()
    }

    func execute(_ job: @escaping @Sendable () -> Void) {
        let delivery = inbox.withLock { inbox -> Delivery in
            if inbox.isFinished { return .late }
            inbox.jobs.append(job)
            defer { inbox.isWoken = true }
            return inbox.isWoken ? .queued : .queuedForSleeper
        }
        switch delivery {
        case .queued: break
        case .queuedForSleeper: wake()
        // Every job must run, since somebody may wait for its answer. After the end it finds the connection lost.
        case .late: lateJobs.async(execute: job)
        }
    }

    func register(_ descriptor: CInt, _ handler: any ReadinessHandler) throws(SystemCallError) {
        try descriptors.add(descriptor, handler)
    }

    func remove(_ descriptor: CInt) {
        descriptors.remove(descriptor)
    }

    func setDeadline(_ deadline: UInt64?, for descriptor: CInt) {
        descriptors.setDeadline(deadline, for: descriptor)
    }

    // MARK: The thread

    private func wake() {
        var one: UInt64 = 1
        _ = write(waker, &one, 8)
    }

    private func run() {
        while true {
            var isFound = linger()
            if !isFound {
                let delay = descriptors.delay(now: now).map { CInt(clamping: $0 + 1) } ?? -1
                isFound = descriptors.look(milliseconds: delay)
            }
            now = KernelClock.monotonicMilliseconds
            if isFound { descriptors.deliver() }
            guard runJobs() else { return }
            descriptors.expire(now: now)
        }
    }

    /// Looks for events without sleeping, for as long as that has found some lately.
    private func linger() -> Bool {
        guard lingering.begins() else { return false }
        let end = KernelClock.monotonic + Lingering.nanoseconds
        var isFound = false
        repeat {
            isFound = descriptors.look(milliseconds: 0)
        } while !isFound && KernelClock.monotonic < end
        lingering.ended(found: isFound)
        return isFound
    }

    /// - Returns: false when the loop has to end.
    private func runJobs() -> Bool {
        while true {
            let (jobs, isStopped) = inbox.withLock { inbox -> ([@Sendable () -> Void], Bool) in
                inbox.isWoken = false
                let jobs = inbox.jobs
                if !jobs.isEmpty { inbox.jobs = [] }
                inbox.isFinished = inbox.isStopped && jobs.isEmpty
                return (jobs, inbox.isStopped)
            }
            for job in jobs { job() }
            // Jobs that these have added wait for the next turn. After a stop there is none, so they run now.
            guard isStopped else { return true }
            if jobs.isEmpty { return false }
        }
    }
}
