import Base
import Glibc

struct Readiness: OptionSet, Sendable {
    let rawValue: UInt8

    static let readable = Readiness(rawValue: 1)
    static let writable = Readiness(rawValue: 2)
    /// The peer has ended its side. It may still read.
    static let peerShut = Readiness(rawValue: 4)
    /// The connection was reset.
    static let lost = Readiness(rawValue: 8)
    /// Both sides have ended, or the peer's after ours was shut down. Written bytes may still be on their way.
    static let ended = Readiness(rawValue: 16)
}

/// Hears on its loop when its descriptor becomes ready. Readiness is reported once per change (edge), so a handler goes
/// on until the call would block.
protocol ReadinessHandler: AnyObject {
    /// The descriptor can be read or written, or its other end is gone.
    func ready(_ readiness: Readiness)
    func deadlinePassed()
}

/// The interface of an event loop: one thread, or serial queue, that waits for descriptors, jobs and deadlines.
///
/// ``EpollLoop`` is the default: on two cores (1 KB answers, wrk, 32 connections) bare Dispatch sources reach 70,000
/// requests per second, and bare epoll reaches 119,000. ``DispatchLoop`` waits on Dispatch's threads. Every test of the
/// server runs on both.
protocol EventLoop: AnyObject, Sendable {
    /// Milliseconds of the monotonic clock when the loop last woke. Read it on the loop only.
    var now: UInt64 { get }

    /// Starts the loop. Call it once, before anything else.
    func start() throws(SystemCallError)

    /// Ends the loop after the jobs that are there, and waits for that. Call it once, from any other thread.
    func stop()

    /// Runs a job on the loop's thread, after those that are there. Call it from any thread.
    func execute(_ job: @escaping @Sendable () -> Void)

    /// Starts reporting. Call it on the loop only.
    func register(_ descriptor: CInt, _ handler: any ReadinessHandler) throws(SystemCallError)

    /// Stops reporting. Call it on the loop only, before the descriptor is closed.
    func remove(_ descriptor: CInt)

    /// - Parameter deadline: milliseconds of ``now``'s clock; nil removes it. Call it on the loop only.
    func setDeadline(_ deadline: UInt64?, for descriptor: CInt)
}

extension KernelClock {
    /// The clock of the loops' deadlines.
    static var monotonicMilliseconds: UInt64 { monotonic / 1_000_000 }
}

/// The mechanism by which a ``Server`` waits for its connections.
package enum EventLoopKind: String, Sendable, CaseIterable {
    /// epoll(7), the faster one.
    case epoll
    /// Threads and timers of Dispatch, which watches an epoll instance.
    case dispatch

    func makeLoop() throws(SystemCallError) -> any EventLoop {
        switch self {
        case .epoll: try EpollLoop()
        case .dispatch: try DispatchLoop()
        }
    }
}
