internal import COpenSSL

/// The TLS of one connection on its non-blocking socket. It belongs to one loop.
///
/// OpenSSL queues errors per thread, which connections share, so the queue is cleared before each call.
final class TLSSession {
    enum HandshakeResult: Hashable {
        case done
        case wouldBlock
        /// The client speaks plain HTTP.
        case plainText
        case failed
    }

    /// The largest record, in bytes (RFC 8446 §5.1), and so the largest single write.
    static let recordSize = 16 * 1024

    private let session: OpaquePointer
    private(set) var isHandshaking = true
    /// Whether reading or the handshake has to wait until the socket can be written. TLS then owes a message of its
    /// own, such as the answer to a key update (RFC 8446 §4.6.3).
    private(set) var readWaitsForRoom = false
    /// Whether a fatal error has occurred, after which OpenSSL must not be called again.
    private var isBroken = false
    private var isShut = false

    init(takingOver session: OpaquePointer) {
        self.session = session
    }

    deinit {
        SSL_free(session)
    }

    func handshake() -> HandshakeResult {
        if isBroken { return .failed }
        ERR_clear_error()
        readWaitsForRoom = false
        let code = SSL_do_handshake(session)
        if code == 1 {
            isHandshaking = false
            return .done
        }
        switch SSL_get_error(session, code) {
        case SSL_ERROR_WANT_READ: return .wouldBlock
        case SSL_ERROR_WANT_WRITE:
            readWaitsForRoom = true
            return .wouldBlock
        default:
            isBroken = true
            // The low 23 bits are what the macro ERR_GET_REASON returns.
            let reason = CInt(truncatingIfNeeded: ERR_peek_error() & 0x7F_FFFF)
            return reason == SSL_R_HTTP_REQUEST ? .plainText : .failed
        }
    }

    /// Like `Socket.read`, but reads at most one record.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> TransferResult {
        if isBroken { return .failed }
        ERR_clear_error()
        readWaitsForRoom = false
        var count = 0
        let code = SSL_read_ex(session, buffer.baseAddress, buffer.count, &count)
        if code == 1 { return .bytes(count) }
        switch SSL_get_error(session, code) {
        case SSL_ERROR_WANT_READ: return .wouldBlock
        case SSL_ERROR_WANT_WRITE:
            readWaitsForRoom = true
            return .wouldBlock
        case SSL_ERROR_ZERO_RETURN: return .bytes(0)
        default: return failure()
        }
    }

    /// Like `Socket.write`. After `.wouldBlock` the next call has to begin with the same bytes.
    func write(_ bytes: UnsafeRawBufferPointer) -> TransferResult {
        if isBroken { return .failed }
        ERR_clear_error()
        var count = 0
        let code = SSL_write_ex(session, bytes.baseAddress, bytes.count, &count)
        if code == 1 { return .bytes(count) }
        switch SSL_get_error(session, code) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .wouldBlock
        default: return failure()
        }
    }

    /// Tells the client that nothing more comes (close_notify, RFC 8446 §6.1), if the socket has room.
    func shutdown() {
        if isBroken || isHandshaking || isShut { return }
        isShut = true
        ERR_clear_error()
        _ = SSL_shutdown(session)
    }

    private func failure() -> TransferResult {
        isBroken = true
        return .failed
    }
}
