import Base

/// The certificate in use. It can be replaced while connections are open; each keeps the one that it began with.
final class TLSCertificates: Sendable {
    let configuration: TLSConfiguration
    private let context: Locked<TLSContext>

    init(_ configuration: TLSConfiguration) throws(TLSError) {
        self.configuration = configuration
        context = Locked(try TLSContext(configuration))
    }

    /// The context for new connections.
    var current: TLSContext { context.withLock { $0 } }

    /// Reads the files again. Session tickets under the old certificate are refused from then on.
    /// - Throws: ``TLSError`` if the files cannot be used. The old certificate stays then.
    func reload() throws(TLSError) {
        let fresh = try TLSContext(configuration)
        context.withLock { $0 = fresh }
    }
}
