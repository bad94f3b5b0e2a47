import Base
import CSystemCalls
import Dispatch
import Glibc

/// An event loop on epoll(7), edge-triggered: a descriptor is registered once for its whole life, and a request costs one
/// wait, one read and one write.
///
/// `@unchecked Sendable`: all state but `inbox` and `descriptors` is touched by the loop's own thread only, which every
/// entry point but `execute` and `stop` requires.
final class EpollLoop: EventLoop, @unchecked Sendable {
    private struct Inbox {
        var jobs: [@Sendable () -> Void] = []
        var isWoken = false
        var isStopped = false
        /// The thread has ended: no one takes jobs from here any more.
        var isFinished = false
    }

    private enum Delivery {
        case queued, queuedForSleeper, late
    }

    private struct Registration {
        var handler: (any ReadinessHandler)?
        var generation: UInt32 = 0
    }

    private static let eventCapacity = 256
    private static let wakeKey = UInt64.max

    private(set) var now: UInt64
    private let epoll: CInt
    private let waker: CInt
    private let inbox = Locked(Inbox())
    private var registrations: [Registration] = []
    // Unchecked: the wheel calls nothing that comes back here.
    @exclusivity(unchecked) private var wheel: TimerWheel
    @exclusivity(unchecked) private var due: [Int] = []
    @exclusivity(unchecked) private var lingering = Lingering()
    private var thread = pthread_t()
    /// Where jobs run that come after the end, one at a time.
    private let afterlife = DispatchQueue(label: "menagerie.http.loop.afterlife")

    init() throws(SystemCallError) {
        epoll = epoll_create1(CInt(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw SystemCallError(call: "epoll_create1", code: errno) }
        waker = eventfd(0, CInt(EFD_NONBLOCK | EFD_CLOEXEC))
        guard waker >= 0 else {
            let code = errno
            _ = Glibc.close(epoll)
            throw SystemCallError(call: "eventfd", code: code)
        }
        now = MonotonicClock.milliseconds
        wheel = TimerWheel(now: now)
        var event = epoll_event()
        event.events = EPOLLIN.rawValue | EPOLLET.rawValue
        event.data.u64 = Self.wakeKey
        guard epoll_ctl(epoll, EPOLL_CTL_ADD, waker, &event) == 0 else {
            throw SystemCallError(call: "epoll_ctl", code: errno)
        }
    }

    deinit {
        _ = Glibc.close(epoll)
        _ = Glibc.close(waker)
    }

    /// Starts the thread, which keeps the loop alive until ``stop()``.
    func start() throws(SystemCallError) {
        let box = Unmanaged.passRetained(self)
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                let loop = Unmanaged<EpollLoop>.fromOpaque(context).takeRetainedValue()
                loop.run()
                return nil
            }, box.toOpaque())
        guard code == 0 else {
            box.release()
            throw SystemCallError(call: "pthread_create", code: code)
        }
    }

    /// Ends the thread after the jobs that are there, and waits for it. From any other thread, once.
    func stop() {
        inbox.withLock { $0.isStopped = true }
        wake()
        pthread_join(thread, nil)
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
        // Whoever waits for an answer must get one; by now it can only be that the connection is lost.
        case .late: afterlife.async(execute: job)
        }
    }

    func register(_ descriptor: CInt, _ handler: any ReadinessHandler) throws(SystemCallError) {
        let index = Int(descriptor)
        while registrations.count <= index { registrations.append(Registration()) }
        registrations[index].generation &+= 1
        var event = epoll_event()
        event.events = EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
        event.data.u64 = UInt64(registrations[index].generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
        guard epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0 else {
            throw SystemCallError(call: "epoll_ctl", code: errno)
        }
        registrations[index].handler = handler
    }

    /// Without effect: every change is reported.
    func wait(for readiness: Readiness, on descriptor: CInt) {}

    func close(_ descriptor: CInt, _ close: @escaping @Sendable (CInt) -> Void) {
        defer { close(descriptor) }
        let index = Int(descriptor)
        guard index < registrations.count, registrations[index].handler != nil else { return }
        registrations[index].handler = nil
        registrations[index].generation &+= 1
        wheel.remove(index)
        var event = epoll_event()
        _ = epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event)
    }

    func setDeadline(_ deadline: UInt64?, for descriptor: CInt) {
        if let deadline {
            wheel.set(Int(descriptor), deadline: deadline)
        } else {
            wheel.cancel(Int(descriptor))
        }
    }

    // MARK: The thread

    private func wake() {
        var one: UInt64 = 1
        _ = write(waker, &one, 8)
    }

    private func run() {
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.eventCapacity) {
            (events: UnsafeMutableBufferPointer<epoll_event>) in
            while true {
                var count = linger(events)
                if count == 0 {
                    let delay = wheel.delay(now: now).map { CInt(clamping: $0 + 1) } ?? -1
                    count = epoll_wait(epoll, events.baseAddress, CInt(events.count), delay)
                }
                now = MonotonicClock.milliseconds
                if count > 0 {
                    for index in 0..<Int(count) { deliver(events[index]) }
                }
                guard runJobs() else { return }
                expire()
            }
        }
    }

    /// Looks for events without sleeping, as long as that has been worth it; 0 where none came.
    private func linger(_ events: UnsafeMutableBufferPointer<epoll_event>) -> CInt {
        guard lingering.begins() else { return 0 }
        let end = MonotonicClock.nanoseconds + Lingering.nanoseconds
        var count: CInt = 0
        repeat {
            count = epoll_wait(epoll, events.baseAddress, CInt(events.count), 0)
        } while count == 0 && MonotonicClock.nanoseconds < end
        lingering.ended(found: count > 0)
        return count
    }

    private func deliver(_ event: epoll_event) {
        let key = event.data.u64
        if key == Self.wakeKey { return }
        let index = Int(key & 0xFFFF_FFFF)
        // An earlier event of this batch may have closed the descriptor.
        guard registrations[index].generation == UInt32(key >> 32), let handler = registrations[index].handler else {
            return
        }
        var readiness: Readiness = []
        if event.events & EPOLLIN.rawValue != 0 { readiness.insert(.readable) }
        if event.events & EPOLLOUT.rawValue != 0 { readiness.insert(.writable) }
        if event.events & EPOLLRDHUP.rawValue != 0 { readiness.insert(.peerShut) }
        if event.events & EPOLLERR.rawValue != 0 { readiness.insert(.lost) }
        if event.events & EPOLLHUP.rawValue != 0 { readiness.insert(.ended) }
        handler.ready(readiness)
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
            // What these jobs have added waits for its turn, but at the end there is no other.
            guard isStopped else { return true }
            if jobs.isEmpty { return false }
        }
    }

    private func expire() {
        due.removeAll(keepingCapacity: true)
        wheel.advance(to: now, into: &due)
        for index in due { registrations[index].handler?.deadlinePassed() }
    }
}
