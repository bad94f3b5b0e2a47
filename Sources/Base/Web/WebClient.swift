package import Foundation

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

/// A client for the HTTP servers of other programs, without cookies and without a cache.
///
/// It follows no redirects, because they could lead anywhere, also with a key in a header. A redirect is an answer.
package final class WebClient: Sendable {
    package struct Answer: Sendable, Equatable {
        package let status: Int
        package let body: [UInt8]
        /// The wait that the server asks for, in seconds (`Retry-After`, RFC 9110 §10.2.3). Nil if it names none or a
        /// date.
        package var retryAfter: Double?
    }

    /// The longest wait that a server may ask for, in seconds.
    private static let longestWait = 300.0

    private let session: URLSession
    private let exchanges = WebExchanges()
    private let whole: Double?
    /// Looks up the addresses of hosts. Nil if every address is allowed.
    private let lookUps: BlockingPool?

    /// - Parameters:
    ///   - idle: the longest time without a byte, in seconds.
    ///   - whole: the longest time for a whole exchange, in seconds. Nil sets no such limit.
    ///   - connections: the most connections at once to one host.
    ///   - allowsPrivate: whether addresses of this machine and of private networks are allowed.
    package init(idle: Double, whole: Double? = nil, connections: Int = 4, allowsPrivate: Bool = true) {
        self.whole = whole
        lookUps = allowsPrivate ? nil : BlockingPool(label: "menagerie.names", width: 4, maximumPending: 64)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = idle
        configuration.httpMaximumConnectionsPerHost = connections
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit { session.invalidateAndCancel() }

    /// Sends a request and waits for the whole answer, or until the task is cancelled.
    ///
    /// Foundation's `data(for:)` sometimes never returns after a cancellation.
    ///
    /// - Parameters:
    ///   - limit: the largest body in bytes.
    ///   - needsBody: whether a body that is too large, or does not come to its end, is an error. Otherwise it is cut.
    /// - Throws: ``WebError``, but not for a status.
    package func send(
        _ request: URLRequest, limit: Int = 32 << 20, needsBody: Bool = true
    ) async throws(WebError) -> Answer {
        if let lookUps { try await Self.checkIsPublic(request.url?.host() ?? "", lookUps) }
        let task = session.dataTask(with: request)
        // Foundation on Linux does not enforce `timeoutIntervalForResource`.
        let limiter = whole.map { seconds in
            Task {
                try await Task.sleep(for: .seconds(seconds))
                exchanges.fail(task, .timedOut)
                task.cancel()
            }
        }
        defer { limiter?.cancel() }
        let result: WebExchanges.Result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                exchanges.begin(task, limit: limit, needsBody: needsBody) { continuation.resume(returning: $0) }
                if Task.isCancelled { exchanges.fail(task, .cancelled) } else { task.resume() }
            }
        } onCancel: {
            exchanges.fail(task, .cancelled)
            task.cancel()
        }
        return try result.get()
    }

    /// Sends a request again while the server is busy or out of reach: after 0.4 s, 0.8 s and so on, or when the server
    /// asks for it.
    ///
    /// - Parameters:
    ///   - attempts: the most tries.
    ///   - isRepeatable: whether a second try is harmless. Otherwise only a 429 is followed by one.
    /// - Returns: the last answer, which may be that the server is busy.
    /// - Throws: ``WebError``, or `CancellationError` during a pause.
    package func send(
        _ request: @autoclosure () throws -> URLRequest, limit: Int = 32 << 20, attempts: Int, isRepeatable: Bool = true
    ) async throws -> Answer {
        var attempt = 1
        while true {
            var wait = Duration.milliseconds(200 << attempt)
            do {
                let answer = try await send(request(), limit: limit)
                let isBusy = answer.status == 429 || isRepeatable && answer.status >= 500
                guard isBusy, attempt < attempts else { return answer }
                wait = max(wait, .seconds(min(answer.retryAfter ?? 0, Self.longestWait)))
            } catch let error as WebError {
                guard isRepeatable, attempt < attempts, error != .tooLarge(limit: limit) else { throw error }
            }
            try await Task.sleep(for: wait)
            attempt += 1
        }
    }

    /// The body of a 200.
    ///
    /// - Throws: ``WebError``, also for any other status.
    package func get(_ url: URL, limit: Int) async throws(WebError) -> [UInt8] {
        let answer = try await send(URLRequest(url: url), limit: limit)
        guard answer.status == 200 else { throw .status(answer.status) }
        return answer.body
    }

    /// The check cannot detect a name that resolves to another address a moment later.
    private static func checkIsPublic(_ host: String, _ lookUps: BlockingPool) async throws(WebError) {
        let addresses = try await lookUps.run(whenFull: { _ in WebError.unreachable("too many names are looked up") }) {
            () throws(WebError) in NetworkAddress.all(of: host)
        }
        guard let addresses else { throw .unreachable("the name \(host) has no address") }
        guard !addresses.contains(where: \.isPrivate) else { throw .isPrivate(host: host) }
    }
}
