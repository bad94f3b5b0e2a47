import Glibc
import Logging
import Synchronization

/// The state that a loop's connections share, used on that loop only, except ``connectionCount`` and ``bodies``.
///
/// `@unchecked Sendable`: see above; jobs that carry it run on the loop.
final class LoopContext: @unchecked Sendable {
    /// The ``ConnectionTimeouts`` in milliseconds.
    struct Timeouts {
        let header, body, idle, write, linger, handshake: UInt64
        /// Bytes per second.
        let minimumRate: UInt64

        init(_ timeouts: ConnectionTimeouts, handshake: Duration?) {
            header = timeouts.header.wholeMilliseconds
            body = timeouts.body.wholeMilliseconds
            idle = timeouts.idle.wholeMilliseconds
            write = timeouts.write.wholeMilliseconds
            linger = timeouts.linger.wholeMilliseconds
            self.handshake = (handshake ?? .seconds(10)).wholeMilliseconds
            minimumRate = UInt64(max(1, timeouts.minimumRate))
        }
    }

    private static let scratchSize = 64 * 1024

    let loop: any EventLoop
    let responder: Responder
    let limits: ParserLimits
    /// Nil for plain HTTP.
    let certificates: TLSCertificates?
    let timeouts: Timeouts
    let webSocketLimits: WebSocketLimits
    let webSocketTimeouts: WebSocketTimeouts
    let trustedProxies: TrustedProxies
    /// The number of requests after which a connection closes.
    let requestsPerConnection: UInt64
    /// The delay before a probe, in milliseconds; nil sends no probe.
    let probeDelay: UInt64?
    let observer: (any ServerObserver)?
    let pool = BufferPool()
    /// The buffer that sockets are read into. Bytes that are not used at once are copied out of it.
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: scratchSize, alignment: 16)
    /// Unchecked: the serializer calls nothing that comes back here.
    @exclusivity(unchecked) var serializer: ResponseSerializer
    var isDraining = false
    private(set) var connections: [CInt: Connection] = [:]
    let connectionCount: ConnectionCount
    /// The memory that the bodies of requests hold, on all loops.
    let bodies: BodyBudget
    private var idState: UInt64

    init(
        loop: any EventLoop, responder: Responder, configuration: ServerConfiguration,
        certificates: TLSCertificates?, observer: (any ServerObserver)?, connectionCount: ConnectionCount,
        bodies: BodyBudget
    ) {
        self.loop = loop
        self.responder = responder
        limits = configuration.limits
        self.certificates = certificates
        timeouts = Timeouts(configuration.timeouts, handshake: configuration.tls?.handshakeTimeout)
        webSocketLimits = configuration.webSocketLimits
        webSocketTimeouts = configuration.webSocketTimeouts
        trustedProxies = configuration.trustedProxies
        requestsPerConnection = configuration.maxRequestsPerConnection.map { UInt64(max(1, $0)) } ?? .max
        probeDelay =
            configuration.probesHalfClosedClients ? configuration.halfClosedProbeDelay.wholeMilliseconds : nil
        self.observer = observer
        self.connectionCount = connectionCount
        self.bodies = bodies
        serializer = ResponseSerializer(
            serverName: configuration.serverName, fixedFields: configuration.fixedFields,
            strictTransportMaxAge: configuration.tls?.strictTransportMaxAge)
        idState = UInt64.random(in: .min ... .max)
    }

    deinit {
        scratch.deallocate()
    }

    func add(_ connection: Connection, _ descriptor: CInt) {
        connections[descriptor] = connection
        observer?.connectionOpened()
    }

    func remove(_ descriptor: CInt) {
        guard connections.removeValue(forKey: descriptor) != nil else { return }
        connectionCount.remove()
        observer?.connectionClosed()
    }

    /// 13 characters of Crockford's base 32. The id is unique in this process, and short enough to need no allocation.
    func nextRequestID() -> String {
        // splitmix64 is a bijection, so ids of one loop never repeat.
        idState &+= 0x9E37_79B9_7F4A_7C15
        var mixed = idState
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        let alphabet: StaticString = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
        return String(unsafeUninitializedCapacity: 13) { buffer in
            for index in 0..<13 {
                buffer[index] = alphabet.utf8Start[Int(mixed & 31)]
                mixed >>= 5
            }
            return 13
        }
    }

    /// Stops keeping connections alive and closes the idle ones.
    func drain() {
        isDraining = true
        for connection in Array(connections.values) { connection.drain() }
    }

    /// Closes the connections that are left.
    func abortAll() {
        for connection in Array(connections.values) { connection.lose() }
    }
}

/// The number of open connections of all loops.
final class ConnectionCount: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .relaxed) }

    func add() { count.add(1, ordering: .relaxed) }
    func remove() { count.subtract(1, ordering: .relaxed) }
}
