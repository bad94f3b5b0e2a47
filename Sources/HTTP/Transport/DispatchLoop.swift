import Base
import Dispatch

/// An event loop on Dispatch. It uses a serial queue, a timer, and one read source on the epoll instance of all
/// descriptors.
///
/// One source for each descriptor is not safe on Linux: when a peer resets its connection, libdispatch's event thread
/// and the source's own queue free the same memory (`Docs/decisions/02-event-loop.md`). An epoll instance never hangs
/// up.
///
/// `@unchecked Sendable`: all state is used on the queue only. Every entry point except ``execute(_:)``, ``start()``
/// and ``stop()`` must be called there.
final class DispatchLoop: EventLoop, @unchecked Sendable {
    private(set) var now: UInt64
    private let queue: DispatchQueue
    private let descriptors: EpollDescriptors
    private let source: any DispatchSourceRead
    private let timer: any DispatchSourceTimer
    /// The time when the timer fires, in milliseconds; nil while it is off.
    private var alarm: UInt64?

    init() throws(SystemCallError) {
        now = KernelClock.monotonicMilliseconds
        queue = DispatchQueue(label: "menagerie.http.loop", qos: .userInitiated)
        descriptors = try EpollDescriptors(now: now)
        source = DispatchSource.makeReadSource(fileDescriptor: descriptors.epoll, queue: queue)
        timer = DispatchSource.makeTimerSource(queue: queue)
    }

    func start() {
        source.setEventHandler { [weak self] in self?.deliver() }
        // The epoll instance is closed with the descriptors, after Dispatch has let go of it.
        source.setCancelHandler { [descriptors] in withExtendedLifetime(descriptors) {} }
        source.activate()
        timer.setEventHandler { [weak self] in self?.expire() }
        timer.activate()
    }

    func stop() {
        queue.sync {
            source.cancel()
            timer.cancel()
        }
    }

    func execute(_ job: @escaping @Sendable () -> Void) {
        queue.async {
            self.now = KernelClock.monotonicMilliseconds
            job()
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
        if let deadline { setAlarm(at: deadline) }
    }

    /// Delivers one batch of events. The source fires again while there are more.
    private func deliver() {
        now = KernelClock.monotonicMilliseconds
        if descriptors.look(milliseconds: 0) { descriptors.deliver() }
    }

    private func expire() {
        now = KernelClock.monotonicMilliseconds
        alarm = nil
        descriptors.expire(now: now)
        if let delay = descriptors.delay(now: now) { setAlarm(at: now + delay) }
    }

    /// Sets the timer, unless it fires earlier anyway.
    private func setAlarm(at time: UInt64) {
        if let alarm, alarm <= time { return }
        alarm = time
        timer.schedule(deadline: .now() + .milliseconds(Int(clamping: time > now ? time - now + 1 : 1)))
    }
}

/// The descriptors that Dispatch opens when it first needs them: an epoll instance, a timer for each clock, and the
/// event descriptor of the main queue.
enum DispatchDescriptors {
    /// Makes Dispatch open its descriptors before clients can use them up. Dispatch ends the process if it cannot open
    /// one. This happens once in a process.
    static let reserved = Task {
        // Work for the main queue opens its descriptor, even if nobody drains that queue.
        DispatchQueue.main.async {}
        // The sleep has to be long enough that the timers are armed.
        let moment = Duration.milliseconds(5)
        async let continuous: Void? = try? Task.sleep(for: moment, clock: .continuous)
        async let suspending: Void? = try? Task.sleep(for: moment, clock: .suspending)
        async let wall: Void = withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(wallDeadline: .now() + .milliseconds(5)) { continuation.resume() }
        }
        _ = await (continuous, suspending, wall)
    }
}
