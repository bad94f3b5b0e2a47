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
