import Base
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends HTTP requests to other programs, with short timeouts, without cookies, and without following redirects.
final class OutgoingRequests: NSObject, URLSessionTaskDelegate, Sendable {
    enum Answer: Equatable {
        case status(Int, body: [UInt8])
        /// No answer, or a forbidden address. The text gives the reason.
        case failure(String)
    }

    /// The timeouts in seconds: without any byte, and for the whole exchange.
    private static let timeout = (idle: 10.0, whole: 30.0)
    /// The largest answer in bytes.
    static let largest = 32 << 20

    private let session: Locked<URLSession?> = Locked(nil)
    private let allowsPrivate: Bool
    private let pool = BlockingPool(label: "menagerie.names", width: 4, maximumPending: 64)

    /// - Parameter allowsPrivate: whether addresses of this machine and of private networks are allowed.
    init(allowsPrivate: Bool) {
        self.allowsPrivate = allowsPrivate
        super.init()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = Self.timeout.idle
        configuration.timeoutIntervalForResource = Self.timeout.whole
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        session.withLock { $0 = URLSession(configuration: configuration, delegate: self, delegateQueue: nil) }
    }

    /// Closes the connections. The session retains its delegate until then.
    func end() {
        session.withLock { session in
            session?.invalidateAndCancel()
            session = nil
        }
    }

    func ask(_ request: URLRequest) async -> Answer {
        guard let host = request.url?.host, let session = session.withLock({ $0 }) else {
            return .failure("there is no address")
        }
        if !allowsPrivate, let objection = await objection(to: host) { return .failure(objection) }
        do {
            let (data, response) = try await session.data(for: request)
            guard let status = (response as? HTTPURLResponse)?.statusCode else { return .failure("that was no HTTP") }
            return .status(status, body: Array(data.prefix(Self.largest)))
        } catch {
            return .failure(error.localizedDescription)
        }
    }

    private struct Busy: Error {}

    /// The check cannot detect a name that resolves to another address a moment later.
    private func objection(to host: String) async -> String? {
        let addresses = try? await pool.run(whenFull: { _ in Busy() }) { () throws(Busy) in
            HostAddresses.addresses(of: host)
        }
        guard let addresses = addresses ?? nil else { return "the name \(host) has no address" }
        guard addresses.contains(where: HostAddresses.isPrivate) else { return nil }
        return "\(host) is an address of this machine or of a private network, which webhooks.allow_private allows"
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
