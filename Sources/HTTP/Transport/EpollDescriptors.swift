import CSystemCalls
import Glibc

/// The descriptors of an event loop under epoll(7), edge-triggered, with the handler and the deadline of each.
///
/// A descriptor is registered once for its whole life. The class is not thread-safe: it is used on the loop only.
final class EpollDescriptors {
    private struct Registration {
        var handler: (any ReadinessHandler)?
        var generation: UInt32 = 0
    }

    /// The largest number of events that one look finds.
    private static let eventCapacity = 256

    /// The epoll instance, which is readable while there are events.
    let epoll: CInt
    private let events = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: eventCapacity)
    private var found = 0
    private var registrations: [Registration] = []
    // Unchecked: the wheel calls nothing that comes back here.
    @exclusivity(unchecked) private var wheel: TimerWheel
    @exclusivity(unchecked) private var due: [Int] = []

    /// - Parameter now: milliseconds of the loop's clock.
    init(now: UInt64) throws(SystemCallError) {
        wheel = TimerWheel(now: now)
        epoll = epoll_create1(CInt(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw SystemCallError(call: "epoll_create1", code: errno) }
    }

    deinit {
        _ = Glibc.close(epoll)
        events.deallocate()
    }

    /// Starts reporting.
    /// - Parameter handler: nil for a descriptor whose events only end a wait.
    func add(_ descriptor: CInt, _ handler: (any ReadinessHandler)?) throws(SystemCallError) {
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

    /// Stops reporting. It does nothing for a descriptor without a handler.
    func remove(_ descriptor: CInt) {
        let index = Int(descriptor)
        guard index < registrations.count, registrations[index].handler != nil else { return }
        registrations[index].handler = nil
        registrations[index].generation &+= 1
        wheel.cancel(index)
        var event = epoll_event()
        _ = epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event)
    }

    /// Looks for events.
    /// - Parameter milliseconds: the longest wait for one; a negative number waits without limit.
    /// - Returns: whether there are events, for which ``deliver()`` has to be called.
    func look(milliseconds: CInt) -> Bool {
        found = max(0, Int(epoll_wait(epoll, events.baseAddress, CInt(events.count), milliseconds)))
        return found > 0
    }

    /// Tells the handlers about the events that the last look found.
    func deliver() {
        for index in 0..<found { deliver(events[index]) }
    }

    private func deliver(_ event: epoll_event) {
        let key = event.data.u64
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

    // MARK: Deadlines

    /// - Parameter deadline: milliseconds of the loop's clock; nil removes the deadline.
    func setDeadline(_ deadline: UInt64?, for descriptor: CInt) {
        if let deadline {
            wheel.set(Int(descriptor), deadline: deadline)
        } else {
            wheel.cancel(Int(descriptor))
        }
    }

    /// Milliseconds until the next deadline; nil if there is none.
    func delay(now: UInt64) -> UInt64? {
        wheel.delay(now: now)
    }

    /// Tells the handlers whose deadline has passed.
    func expire(now: UInt64) {
        due.removeAll(keepingCapacity: true)
        wheel.advance(to: now, into: &due)
        for index in due { registrations[index].handler?.deadlinePassed() }
    }
}
