import Base
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Asks other programs over HTTP: briefly, without cookies, and never further than the address that the operator wrote.
final class OutgoingRequests: NSObject, URLSessionTaskDelegate, Sendable {
    /// What came back.
    enum Answer: Equatable {
        case status(Int, body: [UInt8])
        /// Nobody answered, or nobody may be asked; in words.
        case failure(String)
    }

    /// Seconds without a byte, and seconds for all of it.
    private static let timeout = (idle: 10.0, whole: 30.0)
    /// Bytes of an answer that are taken.
    static let largest = 32 << 20

    private let session: Locked<URLSession?> = Locked(nil)
    private let allowsPrivate: Bool
    private let pool = BlockingPool(label: "menagerie.names", width: 4, maximumPending: 64)

    /// - Parameter allowsPrivate: whether addresses of this machine and of private networks may be asked.
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

    /// Lets go of the connections; the session keeps its delegate until then.
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

    /// A name that has another address a moment later is not caught.
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
