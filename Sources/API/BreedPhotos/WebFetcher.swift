import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Reads a document from another server.
protocol WebFetcher: Sendable {
    /// The body of a 200, up to `limit` bytes.
    func fetch(_ url: URL, limit: Int) async throws(WebFetchError) -> [UInt8]
}

/// The reason why another server's document is not available.
enum WebFetchError: Error, Equatable {
    case timedOut
    case unreachable
    case tooLarge
    case status(Int)
    /// The document does not have the expected form.
    case malformed
}

/// Fetches with the system's HTTP client. It follows no redirections, because they could lead anywhere.
final class URLSessionFetcher: NSObject, WebFetcher {
    private let session: URLSession

    /// - Parameter timeout: the time for one whole answer, in seconds.
    init(timeout: Double) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = timeout
        configuration.timeoutIntervalForResource = timeout
        configuration.httpMaximumConnectionsPerHost = 4
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        session = URLSession(configuration: configuration, delegate: FetchDelegate(), delegateQueue: nil)
    }

    deinit {
        session.invalidateAndCancel()
    }

    func fetch(_ url: URL, limit: Int) async throws(WebFetchError) -> [UInt8] {
        let result = await withCheckedContinuation { (continuation: CheckedContinuation<FetchResult, Never>) in
            let task = session.dataTask(with: url)
            (session.delegate as? FetchDelegate)?.expect(task, limit: limit) { continuation.resume(returning: $0) }
            task.resume()
        }
        return try result.get()
    }
}

private typealias FetchResult = Result<[UInt8], WebFetchError>
