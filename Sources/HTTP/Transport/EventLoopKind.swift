/// How a ``Server`` waits for its connections.
package enum EventLoopKind: String, Sendable, CaseIterable {
    /// epoll(7): the faster one, on Linux.
    case epoll
    /// Dispatch sources: wherever there is Dispatch.
    case dispatch

    func makeLoop() throws(SystemCallError) -> any EventLoop {
        switch self {
        case .epoll: try EpollLoop()
        case .dispatch: DispatchLoop()
        }
    }
}
