import Dispatch
package import Foundation

/// A client for the HTTP servers of other programs, without cookies and without a cache. libcurl speaks the protocol.
///
/// It follows no redirects, because they could lead anywhere, also with a key in a header. A redirect is an answer.
package final class WebClient: Sendable {
    package struct Answer: Sendable, Equatable {
        package let status: Int
        package fileprivate(set) var body: [UInt8] = []
        /// The wait that the server asks for, in seconds (`Retry-After`, RFC 9110 §10.2.3). Nil if it names none or a
        /// date.
        package let retryAfter: Double?
    }

    /// The longest wait that a server may ask for, in seconds.
    private static let longestWait = 300.0

    private let idle: Duration
    private let whole: Duration?
    private let transfers: WebTransfers
    /// Looks up the addresses of hosts. Nil if every address is allowed.
    private let lookUps: BlockingPool?
    private let lookUp: @Sendable (String) -> [NetworkAddress]?
    private let isPrivate: @Sendable (NetworkAddress) -> Bool

    /// - Parameters:
    ///   - idle: the longest time without a byte, in seconds.
    ///   - whole: the longest time for a whole exchange, in seconds. Nil sets no such limit.
    ///   - connections: the most connections at once to one server.
    ///   - allowsPrivate: whether addresses of this machine and of private networks are allowed. Otherwise a name is
    ///     looked up once, and the connection goes to the checked addresses, whatever the name means a moment later.
    ///   - lookUp: returns the addresses of a name, or nil if there are none.
    package init(
        idle: Double, whole: Double? = nil, connections: Int = 4, allowsPrivate: Bool = true,
        lookUp: @escaping @Sendable (String) -> [NetworkAddress]? = { NetworkAddress.all(of: $0) },
        isPrivate: @escaping @Sendable (NetworkAddress) -> Bool = { $0.isPrivate }
    ) {
        (self.lookUp, self.isPrivate) = (lookUp, isPrivate)
        lookUps = allowsPrivate ? nil : BlockingPool(label: "menagerie.names", width: 4, maximumPending: 64)
        self.idle = .seconds(idle)
        self.whole = whole.map { .seconds($0) }
        transfers = WebTransfers(connections: connections)
    }

    /// Sends a request and waits for the whole answer, or until the task is cancelled.
    ///
    /// - Parameters:
    ///   - limit: the largest body in bytes.
    ///   - needsBody: whether a body that is too large, or does not come to its end, is an error. Otherwise it is cut.
    /// - Throws: ``WebError``, but not for a status.
    package func send(
        _ request: WebRequest, limit: Int = 32 << 20, needsBody: Bool = true
    ) async throws(WebError) -> Answer {
        let addresses = try await checkedAddresses(of: request.url.host() ?? "")
        let answer = Locked<Answer?>(nil)
        let transfer = try WebTransfer(request, at: addresses, idle: idle, whole: whole) { head throws(WebError) in
            let wait = head["retry-after"].flatMap { Double($0) }.flatMap { $0 >= 0 ? $0 : nil }
            answer.withLock { $0 = Answer(status: head.status, retryAfter: wait) }
            if let length = head.length, length > limit { throw .tooLarge(limit: limit) }
        } onBody: { bytes throws(WebError) in
            let count = answer.withLock { answer in
                answer?.body.append(contentsOf: bytes)
                return answer?.body.count ?? 0
            }
            if count > limit { throw .tooLarge(limit: limit) }
        }
        do {
            try await run(transfer)
        } catch {
            guard !needsBody, error != .cancelled, answer.withLock({ $0 != nil }) else { throw error }
        }
        guard let answer = answer.withLock({ $0 }) else { throw .unreachable("that was no HTTP") }
        return answer
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
        _ request: @autoclosure () throws -> WebRequest, limit: Int = 32 << 20, attempts: Int, isRepeatable: Bool = true
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
        let answer = try await send(WebRequest(url), limit: limit)
        guard answer.status == 200 else { throw .status(answer.status) }
        return answer.body
    }

    /// Sends a request and hands the answer over as it comes. Blocks until the answer has ended.
    ///
    /// - Parameters:
    ///   - onHead: takes the head before the body. An error ends the exchange.
    ///   - onBody: takes each part of the body.
    /// - Throws: the errors of both, and ``WebError``.
    package func receive(
        _ request: WebRequest, onHead: @escaping @Sendable (WebHead) throws(WebError) -> Void,
        onBody: @escaping @Sendable (UnsafeRawBufferPointer) throws(WebError) -> Void
    ) throws(WebError) {
        let transfer = try WebTransfer(request, idle: idle, whole: whole, onHead: onHead, onBody: onBody)
        let done = DispatchSemaphore(value: 0)
        let result = Locked<Result<Void, WebError>>(.success(()))
        _ = transfers.begin(transfer) { ended in
            result.withLock { $0 = ended }
            done.signal()
        }
        done.wait()
        try result.withLock { $0 }.get()
    }

    private func run(_ transfer: WebTransfer) async throws(WebError) {
        let result: Result<Void, WebError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if !transfers.begin(transfer, end: { continuation.resume(returning: $0) }) {
                    continuation.resume(returning: .failure(.cancelled))
                }
            }
        } onCancel: {
            transfers.cancel(transfer)
        }
        try result.get()
    }

    /// - Returns: the addresses to connect to. Empty if every address is allowed.
    private func checkedAddresses(of host: String) async throws(WebError) -> [NetworkAddress] {
        guard let lookUps else { return [] }
        let addresses = try await lookUps.run(whenFull: { _ in WebError.unreachable("too many names are looked up") }) {
            [lookUp] () throws(WebError) in lookUp(host)
        }
        guard let addresses else { throw .unreachable("the name \(host) has no address") }
        guard !addresses.contains(where: isPrivate) else { throw .isPrivate(host: host) }
        return addresses
    }
}
