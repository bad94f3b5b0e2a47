/// What a descriptor is ready for.
struct Readiness: OptionSet, Sendable {
    let rawValue: UInt8

    static let readable = Readiness(rawValue: 1)
    static let writable = Readiness(rawValue: 2)
    /// The peer has ended its side; it may still read.
    static let peerShut = Readiness(rawValue: 4)
    /// Reset, or closed in both directions.
    static let lost = Readiness(rawValue: 8)
}

/// Told, on its loop, when its descriptor becomes ready. Readiness is reported once per change (edge), so whoever is told
/// goes on until the call would block.
protocol ReadinessHandler: AnyObject {
    func ready(_ readiness: Readiness)
    /// The deadline that was set has passed.
    func deadlinePassed()
}

/// The readiness seam: one thread that waits for descriptors, jobs and deadlines.
///
/// ``EpollLoop`` implements it. Dispatch sources were the first choice, but on two cores (1 KB answers, wrk, 32 connections)
/// they reach 70,000 requests per second where bare epoll reaches 119,000, and on Linux they lose events when they are
/// cancelled while suspended (libdispatch issues 949 and 833). Dispatch keeps the work beside the loops.
protocol EventLoop: AnyObject, Sendable {
    /// Milliseconds of the monotonic clock when the loop last woke. On the loop only.
    var now: UInt64 { get }

    /// Runs a job on the loop's thread, after what is there already. From any thread.
    func execute(_ job: @escaping @Sendable () -> Void)

    /// Starts reporting. On the loop only.
    func register(_ descriptor: CInt, _ handler: any ReadinessHandler) throws(SystemCallError)

    /// Stops reporting; must come before the descriptor is closed. On the loop only.
    func deregister(_ descriptor: CInt)

    /// - Parameter deadline: in milliseconds of ``now``'s clock; nil for none. On the loop only.
    func setDeadline(_ deadline: UInt64?, for descriptor: CInt)
}
