import Base

/// The certificate in use, which can be exchanged while connections are open: each keeps the one that it began with.
final class TLSCertificates: Sendable {
    let configuration: TLSConfiguration
    private let context: Locked<TLSContext>

    init(_ configuration: TLSConfiguration) throws(TLSError) {
        self.configuration = configuration
        context = Locked(try TLSContext(configuration))
    }

    /// For new connections.
    var current: TLSContext { context.withLock { $0 } }

    /// Reads the files again. Tickets of sessions under the old certificate are not taken any more.
    /// - Throws: when they cannot be used; then the old certificate stays.
    func reload() throws(TLSError) {
        let fresh = try TLSContext(configuration)
        context.withLock { $0 = fresh }
    }
}
