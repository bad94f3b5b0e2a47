import Base
import Dispatch
import Glibc

/// An event loop on Dispatch: a serial queue, and for each descriptor a read source for its whole life and a write source
/// from the first time that a write blocked. For systems without epoll, and for comparison.
///
/// Dispatch reports readiness for as long as it lasts (level), ``ReadinessHandler`` expects to be told once per change
/// (edge). So a source stays on while its handler waits for it, and is suspended when it fired and the handler did not say
/// that it waits again (``wait(for:on:)``). A source that is suspended cannot tell that the peer has gone: poll(2) is asked
/// for those a few times a second.
///
/// Sources are never cancelled while suspended, and a descriptor is closed only after the cancel handlers of both
/// (libdispatch issues 949 and 833).
///
/// `@unchecked Sendable`: all state is touched on the queue only, which every entry point but ``execute(_:)``, ``start()``
/// and ``stop()`` requires.
final class DispatchLoop: EventLoop, @unchecked Sendable {
    /// Milliseconds between two looks at descriptors whose sources are off.
    private static let pollInterval = 50

    private(set) var now = MonotonicClock.milliseconds
    private let queue: DispatchQueue
    private var registrations: [CInt: Registration] = [:]
    /// Descriptors whose read source is suspended.
    private var unwatched: Set<CInt> = []
    private let timer: any DispatchSourceTimer
    private let poller: any DispatchSourceTimer
    private var isPolling = false
    // Unchecked: the wheel calls nothing that comes back here.
    @exclusivity(unchecked) private var wheel: TimerWheel
    @exclusivity(unchecked) private var due: [Int] = []
    /// When the timer fires, in milliseconds; nil while it is off.
    private var alarm: UInt64?

    init() {
        queue = DispatchQueue(label: "menagerie.http.loop", qos: .userInitiated)
        wheel = TimerWheel(now: now)
        timer = DispatchSource.makeTimerSource(queue: queue)
        poller = DispatchSource.makeTimerSource(queue: queue)
    }

    func start() {
        timer.setEventHandler { [weak self] in self?.expire() }
        timer.activate()
        poller.setEventHandler { [weak self] in self?.poll() }
        poller.activate()
    }

    /// Runs the jobs that are there and switches the timers off. From any other thread, once.
    func stop() {
        queue.sync {
            timer.cancel()
            poller.cancel()
        }
    }

    func execute(_ job: @escaping @Sendable () -> Void) {
        queue.async {
            self.now = MonotonicClock.milliseconds
            job()
        }
    }

    func register(_ descriptor: CInt, _ handler: any ReadinessHandler) {
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        let registration = Registration(handler: handler, reading: source)
        registrations[descriptor] = registration
        source.setEventHandler { [weak self, weak registration] in
            guard let self, let registration else { return }
            self.now = MonotonicClock.milliseconds
            registration.isAwaited = false
            // A source that has nothing to read fires for the end of the stream, or an error.
            self.deliver(source.data > 0 ? .readable : Self.readiness(of: descriptor), to: registration)
            if !registration.isAwaited { self.suspendReading(registration, descriptor) }
        }
        registration.isAwaited = true
        source.activate()
    }

    func wait(for readiness: Readiness, on descriptor: CInt) {
        guard let registration = registrations[descriptor] else { return }
        if readiness.contains(.readable) {
            registration.isAwaited = true
            if registration.isReadingSuspended {
                registration.isReadingSuspended = false
                unwatched.remove(descriptor)
                registration.reading.resume()
            }
        }
        if readiness.contains(.writable) { waitForRoom(registration, descriptor) }
    }

    func setDeadline(_ deadline: UInt64?, for descriptor: CInt) {
        guard let deadline else {
            wheel.cancel(Int(descriptor))
            return
        }
        wheel.set(Int(descriptor), deadline: deadline)
        if alarm.map({ deadline < $0 }) ?? true { setAlarm(at: deadline) }
    }

    func close(_ descriptor: CInt, _ close: @escaping @Sendable (CInt) -> Void) {
        guard let registration = registrations.removeValue(forKey: descriptor) else {
            close(descriptor)
            return
        }
        unwatched.remove(descriptor)
        wheel.remove(Int(descriptor))
        registration.handler = nil
        let sources: [any DispatchSourceProtocol] = [registration.reading, registration.writing].compactMap(\.self)
        let closing = DispatchGroup()
        for source in sources {
            closing.enter()
            source.setCancelHandler { closing.leave() }
        }
        closing.notify(queue: queue) { close(descriptor) }
        if registration.isReadingSuspended { registration.reading.resume() }
        if registration.isWritingSuspended { registration.writing?.resume() }
        for source in sources { source.cancel() }
    }

    // MARK: Sources

    private final class Registration {
        /// nil once it is closed.
        var handler: (any ReadinessHandler)?
        let reading: any DispatchSourceRead
        var writing: (any DispatchSourceWrite)?
        /// The handler has read all there was and waits for more.
        var isAwaited = false
        var isReadingSuspended = false
        var isWritingSuspended = false
        /// The readiness that poll(2) found and that was reported already.
        var told: Readiness = []

        init(handler: any ReadinessHandler, reading: any DispatchSourceRead) {
            self.handler = handler
            self.reading = reading
        }
    }

    private func deliver(_ readiness: Readiness, to registration: Registration) {
        registration.told.formUnion(readiness.intersection([.peerShut, .lost, .ended]))
        registration.handler?.ready(readiness)
    }

    private func suspendReading(_ registration: Registration, _ descriptor: CInt) {
        guard registration.handler != nil, !registration.isReadingSuspended else { return }
        registration.isReadingSuspended = true
        registration.reading.suspend()
        unwatched.insert(descriptor)
        guard !isPolling else { return }
        isPolling = true
        poller.schedule(deadline: .now() + .milliseconds(Self.pollInterval), leeway: .milliseconds(10))
    }

    private func waitForRoom(_ registration: Registration, _ descriptor: CInt) {
        if let writing = registration.writing {
            guard registration.isWritingSuspended else { return }
            registration.isWritingSuspended = false
            writing.resume()
            return
        }
        let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
        registration.writing = source
        source.setEventHandler { [weak self, weak registration] in
            guard let self, let registration, registration.handler != nil else { return }
            self.now = MonotonicClock.milliseconds
            registration.isWritingSuspended = true
            source.suspend()
            self.deliver(Self.readiness(of: descriptor).union(.writable), to: registration)
        }
        source.activate()
    }

    /// What poll(2) says at this moment.
    private static func readiness(of descriptor: CInt) -> Readiness {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN | POLLOUT) | peerShutEvent, revents: 0)
        guard Glibc.poll(&entry, 1, 0) > 0 else { return [] }
        return readiness(entry.revents)
    }

    private static func readiness(_ events: Int16) -> Readiness {
        var readiness: Readiness = []
        if events & Int16(POLLIN) != 0 { readiness.insert(.readable) }
        if events & Int16(POLLOUT) != 0 { readiness.insert(.writable) }
        if events & peerShutEvent != 0 { readiness.insert(.peerShut) }
        if events & Int16(POLLERR) != 0 { readiness.insert(.lost) }
        if events & Int16(POLLHUP) != 0 { readiness.insert(.ended) }
        return readiness
    }

    /// POLLRDHUP of poll(2), which Glibc's module does not carry.
    private static let peerShutEvent: Int16 = 0x2000

    /// Looks whether those have gone whose handlers do not read now, and tells them once.
    private func poll() {
        now = MonotonicClock.milliseconds
        isPolling = false
        var entries = unwatched.map { pollfd(fd: $0, events: Self.peerShutEvent, revents: 0) }
        if entries.isEmpty { return }
        if Glibc.poll(&entries, nfds_t(entries.count), 0) > 0 {
            for entry in entries where entry.revents != 0 {
                guard let registration = registrations[entry.fd] else { continue }
                let new = Self.readiness(entry.revents).subtracting(registration.told)
                if !new.isEmpty { deliver(new, to: registration) }
            }
        }
        guard !unwatched.isEmpty, !isPolling else { return }
        isPolling = true
        poller.schedule(deadline: .now() + .milliseconds(Self.pollInterval), leeway: .milliseconds(10))
    }

    // MARK: Deadlines

    private func setAlarm(at time: UInt64) {
        alarm = time
        timer.schedule(deadline: .now() + .milliseconds(Int(clamping: time > now ? time - now + 1 : 1)))
    }

    private func expire() {
        now = MonotonicClock.milliseconds
        alarm = nil
        due.removeAll(keepingCapacity: true)
        wheel.advance(to: now, into: &due)
        for index in due { registrations[CInt(index)]?.handler?.deadlinePassed() }
        // What was set meanwhile may be nearer.
        if let delay = wheel.delay(now: now), alarm.map({ now + delay < $0 }) ?? true { setAlarm(at: now + delay) }
    }
}
