import CSystemCalls
import Glibc

/// A listening socket. It accepts on its loop and deals the connections out to the loops in turn.
///
/// `@unchecked Sendable`: its state is used on its loop only, except what `init` sets once.
final class Listener: ReadinessHandler, @unchecked Sendable {
    /// The pause after descriptors have run out, in milliseconds.
    private static let backOff: UInt64 = 100
    private static let acceptsPerTurn = 128

    private let socket: ListeningSocket
    private let contexts: [LoopContext]
    private let maxConnections: Int
    /// The number of connections at which further clients wait in the kernel's queue.
    private let room: Int
    private let observer: (any ServerObserver)?
    private var next = 0
    private var isClosed = false

    init(
        _ socket: ListeningSocket, contexts: [LoopContext], maxConnections: Int, room: Int,
        observer: (any ServerObserver)?
    ) {
        self.socket = socket
        self.contexts = contexts
        self.maxConnections = maxConnections
        self.room = room
        self.observer = observer
    }

    var address: BoundAddress { socket.address }
    private var descriptor: CInt { socket.descriptor }
    private var loop: any EventLoop { contexts[0].loop }

    /// Starts to accept. Call it on the loop.
    func open() throws(SystemCallError) {
        // The server may have been stopped before it began.
        guard !isClosed else { return }
        try loop.register(descriptor, self)
        accept()
    }

    /// Stops accepting. Call it on the loop.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        loop.remove(descriptor)
        socket.close()
    }

    func ready(_ readiness: Readiness) {
        accept()
    }

    func deadlinePassed() {
        accept()
    }

    private func accept() {
        for _ in 0..<Self.acceptsPerTurn {
            if isClosed { return }
            guard contexts[0].connectionCount.value < room else { return waitForOthers() }
            var storage = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let accepted = withUnsafeMutablePointer(to: &storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    menagerie_accept4(
                        descriptor, $0, &length,
                        CInt(truncatingIfNeeded: SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue))
                }
            }
            if accepted >= 0 {
                take(accepted, SocketAddress.host(of: storage))
                continue
            }
            switch errno {
            case EINTR, ECONNABORTED, EPROTO: continue
            case EAGAIN: return
            case EMFILE, ENFILE, ENOBUFS, ENOMEM:
                observer?.refused(.outOfDescriptors)
                return waitForOthers()
            default: return waitForOthers()
            }
        }
        loop.execute { self.accept() }
    }

    /// Leaves waiting clients in the kernel's queue until others may have closed.
    private func waitForOthers() { loop.setDeadline(loop.now + Self.backOff, for: descriptor) }

    private func take(_ accepted: CInt, _ remoteAddress: String) {
        let context = contexts[next]
        next = (next + 1) % contexts.count
        let isTooMany = context.connectionCount.value >= maxConnections
        context.connectionCount.add()
        // Small writes are sent at once.
        if socket.unixPath == nil { Socket.set(accepted, level: CInt(IPPROTO_TCP), option: TCP_NODELAY, 1) }
        let connection = Connection(context: context, descriptor: accepted, remoteAddress: remoteAddress)
        if isTooMany { observer?.refused(.tooManyConnections) }
        // Refused connections linger for a moment too. When there are many of them, further ones get no answer.
        if isTooMany, context.connectionCount.value > maxConnections + 256 {
            context.connectionCount.remove()
            Socket.abort(accepted)
        } else if context.loop === loop {
            connection.open(isTooMany: isTooMany)
        } else {
            context.loop.execute { connection.open(isTooMany: isTooMany) }
        }
    }
}
