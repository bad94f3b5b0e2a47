import Base
import Glibc
package import Logging

/// The HTTP server: a few event loops, each with its own connections.
package final class Server: Sendable {
    private struct State {
        var loops: [any EventLoop] = []
        var contexts: [LoopContext] = []
        var listeners: [Listener] = []
        var certificates: TLSCertificates?
        var isStopping = false
    }

    private let configuration: ServerConfiguration
    private let responder: Responder
    private let observer: (any ServerObserver)?
    private let logger: Logger
    private let connectionCount = ConnectionCount()
    /// The memory that the bodies of requests hold.
    package let bodies: BodyBudget
    private let state = Locked(State())

    package init(
        configuration: ServerConfiguration, router: Router, middleware: [any Middleware] = [],
        observer: (any ServerObserver)? = nil, logger: Logger
    ) {
        self.configuration = configuration
        responder = Responder(router: router, middleware: middleware, logger: logger)
        self.observer = observer
        self.logger = logger
        bodies = BodyBudget(limit: configuration.bodyMemory, largestBody: configuration.limits.body) {
            observer?.refused(.bodyMemory)
        }
    }

    /// The number of open connections.
    package var connections: Int { connectionCount.value }

    /// Reads the certificate of a configuration, binds its addresses and releases them at once.
    ///
    /// - Throws: ``ListeningError`` if an address cannot be bound; ``TLSError`` if the certificate or its key cannot be
    ///   used.
    package static func probe(_ configuration: ServerConfiguration) throws {
        if let tls = configuration.tls { _ = try TLSCertificates(tls) }
        for socket in try bind(configuration) { socket.close() }
    }

    private static func bind(_ configuration: ServerConfiguration) throws(ListeningError) -> [ListeningSocket] {
        do throws(SystemCallError) {
            return try ListeningSocket.bind(configuration)
        } catch {
            throw ListeningError(address: configuration.address, cause: error)
        }
    }

    /// Binds, listens and serves.
    /// - Returns: the addresses, with the ports that the system chose.
    /// - Throws: ``ListeningError`` if an address cannot be bound; ``TLSError`` if the certificate or its key cannot be
    ///   used; ``SystemCallError``.
    package func start() throws -> [BoundAddress] {
        // sendfile(2), unlike send(2), takes no MSG_NOSIGNAL, so a client that leaves during it would end the process.
        signal(SIGPIPE, SIG_IGN)
        let limit = DescriptorLimit.raise(forConnections: configuration.maxConnections)
        let room = DescriptorLimit.room(forConnections: configuration.maxConnections, limit: limit)
        if let room {
            logger.notice(
                "The limit of open files leaves room for fewer connections; further clients wait",
                metadata: ["connections": "\(room)", "limit": "\(limit)"])
        }
        let certificates = try configuration.tls.map { try TLSCertificates($0) }
        checkDates(of: certificates)
        let sockets = try Self.bind(configuration)
        let loops = try (0..<max(1, configuration.loops)).map { _ in try configuration.eventLoop.makeLoop() }
        let contexts = loops.enumerated().map { index, loop in
            LoopContext(
                loop: loop, responder: responder, configuration: configuration, certificates: certificates,
                observer: observer?.observer(ofLoop: index), connectionCount: connectionCount, bodies: bodies)
        }
        let listeners = sockets.map {
            Listener(
                $0, contexts: contexts, maxConnections: configuration.maxConnections, room: room ?? .max,
                observer: observer)
        }
        for loop in loops { try loop.start() }
        // New clients wait in the kernel's queue until then.
        Task { [logger, loop = loops[0]] in
            await DispatchDescriptors.reserved.value
            for listener in listeners {
                loop.execute {
                    do {
                        try listener.open()
                    } catch {
                        logger.critical("Cannot accept connections", metadata: ["error": "\(error)"])
                    }
                }
            }
        }
        state.withLock {
            $0 = State(loops: loops, contexts: contexts, listeners: listeners, certificates: certificates)
        }
        return listeners.map(\.address)
    }

    /// Reads the certificate chain and the key again for new connections. Open connections keep the old ones. Blocks
    /// while it reads two small files. Does nothing without TLS.
    ///
    /// - Throws: ``TLSError`` if the files cannot be used. New connections then get the old certificate too.
    package func reloadCertificates() throws {
        let certificates = state.withLock { $0.certificates }
        try certificates?.reload()
        checkDates(of: certificates)
    }

    /// The end of the certificate's validity, in seconds since 1970. Nil without TLS.
    package var certificateExpiry: Int? { state.withLock { $0.certificates }?.current.expiry }

    /// Logs a warning if clients refuse the certificate because of its dates, or will within a week.
    package func checkCertificate() { checkDates(of: state.withLock { $0.certificates }) }

    private func checkDates(of certificates: TLSCertificates?) {
        guard let certificates else { return }
        let (context, path) = (certificates.current, certificates.configuration.certificateChainPath)
        if let fault = context.dateFault {
            logger.warning(
                "Clients refuse the certificate", metadata: ["certificate": "\(path)", "reason": "\(fault)"])
        } else if let expiry = context.expiry, expiry - time(nil) < 7 * 86_400 {
            logger.warning(
                "The certificate expires soon",
                metadata: ["certificate": "\(path)", "hours": "\((expiry - time(nil)) / 3_600)"])
        }
    }

    /// Stops accepting, lets requests in flight finish and closes idle connections. The timeout closes the rest.
    /// - Parameter drainTimeout: nil takes the configuration's.
    package func shutdown(drainTimeout: Duration? = nil) async {
        let state = state.withLock { state -> State? in
            if state.isStopping || state.loops.isEmpty { return nil }
            state.isStopping = true
            return state
        }
        guard let state else { return }
        for listener in state.listeners { state.loops[0].execute { listener.close() } }
        for context in state.contexts { context.loop.execute { context.drain() } }
        let deadline = ContinuousClock.now + (drainTimeout ?? configuration.drainTimeout)
        while connectionCount.value > 0, ContinuousClock.now < deadline {
            try? await Task.sleep(for: .milliseconds(5))
        }
        for context in state.contexts { context.loop.execute { context.abortAll() } }
        // Joining a thread blocks, so it stays off the cooperative pool.
        await onOwnThread { for loop in state.loops { loop.stop() } }
    }
}

/// The number of descriptors that the process may have open.
enum DescriptorLimit {
    /// The descriptors for listeners, loops, files and databases.
    private static let others = 1024

    /// Raises the soft limit, which is 1024 on most systems, as far as the connections need and the hard limit allows.
    /// - Returns: the limit.
    static func raise(forConnections connections: Int) -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return .max }
        var wanted = limit
        wanted.rlim_cur = min(limit.rlim_max, rlim_t(connections + others))
        if limit.rlim_cur < wanted.rlim_cur, setrlimit(resource, &wanted) == 0 { limit = wanted }
        return Int(clamping: limit.rlim_cur)
    }

    /// The number of connections that leave the others their descriptors, without which no photo could be read. Nil if
    /// there are enough for all.
    static func room(forConnections connections: Int, limit: Int) -> Int? {
        limit >= connections + others ? nil : limit - min(others, limit / 2)
    }
}
