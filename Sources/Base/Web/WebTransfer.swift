import CCurl
import Foundation

/// One exchange with a server: a transfer of libcurl.
///
/// `@unchecked Sendable` holds because only the thread of ``WebTransfers`` uses the transfer after its start. The end is
/// behind a lock.
final class WebTransfer: @unchecked Sendable {
    typealias End = @Sendable (Result<Void, WebError>) -> Void

    private enum State {
        case new
        case begun(End)
        case ended
    }

    let handle: UnsafeMutableRawPointer
    /// The server. The connections to each are limited.
    let server: String
    private let onHead: @Sendable (WebHead) throws(WebError) -> Void
    private let onBody: @Sendable (UnsafeRawBufferPointer) throws(WebError) -> Void
    private let idle: Duration
    private let whole: Duration?
    private let state = Locked(State.new)
    private let fields: UnsafeMutablePointer<curl_slist>?
    /// What the server's name means in this exchange. Nil if libcurl looks it up.
    private let names: UnsafeMutablePointer<curl_slist>?
    /// libcurl's words for an error.
    private let reason = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    // MARK: On the thread only

    private var head: WebHead?
    private var isHeadTaken = false
    private var failure: WebError?
    private var begun = ContinuousClock.now
    private var active = ContinuousClock.now
    private var received = 0
    private var moved = 0

    /// - Parameters:
    ///   - addresses: the addresses that the server's name stands for. If there are none, it is looked up.
    ///   - idle: the longest time without a byte.
    ///   - whole: the longest time for everything. Nil sets no limit.
    ///   - onHead: is called once, with the head of the final answer. An error ends the exchange.
    ///   - onBody: is called with each part of the body.
    /// - Throws: ``WebError/unreachable(_:)`` if libcurl refuses the request.
    init(
        _ request: WebRequest, at addresses: [NetworkAddress] = [], idle: Duration, whole: Duration?,
        onHead: @escaping @Sendable (WebHead) throws(WebError) -> Void,
        onBody: @escaping @Sendable (UnsafeRawBufferPointer) throws(WebError) -> Void
    ) throws(WebError) {
        guard Self.isPrepared, let handle = curl_easy_init() else { throw .unreachable("libcurl does not start") }
        self.handle = handle
        server = "\(request.url.scheme ?? "")://\(request.url.host() ?? ""):\(request.url.port ?? 0)"
        (self.onHead, self.onBody, self.idle, self.whole) = (onHead, onBody, idle, whole)
        reason.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        // Without a value, libcurl leaves its own field out. It would wait a second for the answer to `Expect`.
        let isTyped = request.fields.keys.contains { $0.lowercased() == "content-type" }
        let lines =
            ["Expect:"] + (isTyped ? [] : ["Content-Type:"])
            + request.fields.map { name, value in
                "\(name): \(value.map { $0.isNewline ? " " : String($0) }.joined())"
            }
        fields = lines.reduce(nil) { curl_slist_append($0, $1) }
        // A literal address means itself.
        let host = request.url.host().flatMap { addresses.isEmpty || $0.contains(":") ? nil : $0 }
        let port = request.url.port ?? (request.url.scheme == "https" ? 443 : 80)
        let places = addresses.map(\.urlHost).joined(separator: ",")
        names = host.flatMap { curl_slist_append(nil, "\($0):\(port):\(places)") }
        let me = Unmanaged.passUnretained(self).toOpaque()
        var results = [
            request.url.absoluteString.withCString { menagerie_curl_set_pointer(handle, CURLOPT_URL, $0) },
            request.method.withCString { menagerie_curl_set_pointer(handle, CURLOPT_CUSTOMREQUEST, $0) },
            "http,https".withCString { menagerie_curl_set_pointer(handle, CURLOPT_PROTOCOLS_STR, $0) },
            "Menagerie".withCString { menagerie_curl_set_pointer(handle, CURLOPT_USERAGENT, $0) },
            menagerie_curl_set_pointer(handle, CURLOPT_HTTPHEADER, fields),
            menagerie_curl_set_pointer(handle, CURLOPT_RESOLVE, names),
            menagerie_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, reason),
            menagerie_curl_set_pointer(handle, CURLOPT_HEADERDATA, me),
            menagerie_curl_set_pointer(handle, CURLOPT_WRITEDATA, me),
            menagerie_curl_set_receiver(handle, CURLOPT_HEADERFUNCTION) {
                WebTransfer.take($0, $1 * $2, $3) { transfer, bytes throws(WebError) in try transfer.takeLine(bytes) }
            },
            menagerie_curl_set_receiver(handle, CURLOPT_WRITEFUNCTION) {
                WebTransfer.take($0, $1 * $2, $3) { transfer, bytes throws(WebError) in try transfer.onBody(bytes) }
            },
            // libcurl's signals are for programs of one thread. A signature covers the path as it is.
            menagerie_curl_set_number(handle, CURLOPT_NOSIGNAL, 1),
            menagerie_curl_set_number(handle, CURLOPT_PATH_AS_IS, 1),
            menagerie_curl_set_number(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1),
        ]
        if let body = request.body {
            results += [
                menagerie_curl_set_number(handle, CURLOPT_POSTFIELDSIZE, body.count),
                body.withUnsafeBytes {
                    menagerie_curl_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, $0.baseAddress ?? UnsafeRawPointer(me))
                },
            ]
        }
        if let refused = results.first(where: { $0 != CURLE_OK }) { throw .unreachable(Self.words(for: refused)) }
    }

    deinit {
        curl_easy_cleanup(handle)
        curl_slist_free_all(fields)
        curl_slist_free_all(names)
        reason.deallocate()
    }

    private static let isPrepared = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    private static func words(for code: CURLcode) -> String {
        curl_easy_strerror(code).map { String(cString: $0) } ?? "libcurl's error \(code.rawValue)"
    }

    // MARK: The end

    var isEnded: Bool { state.withLock { if case .ended = $0 { true } else { false } } }

    /// - Returns: false if it was ended before. Then `end` is not called.
    func begin(_ end: @escaping End) -> Bool {
        state.withLock { state in
            guard case .new = state else { return false }
            state = .begun(end)
            return true
        }
    }

    /// Ends the exchange unless it has ended.
    func end(_ result: Result<Void, WebError>) {
        if case .begun(let end) = state.withLock({ exchange(&$0, with: .ended) }) { end(result) }
    }

    // MARK: On the thread

    func start() {
        begun = .now
        active = begun
    }

    /// Ends the exchange if it takes too long.
    func check(at now: ContinuousClock.Instant) {
        let bytes = received + Int(menagerie_curl_sent(handle))
        if bytes != moved { (moved, active) = (bytes, now) }
        if now - active >= idle || whole.map({ now - begun >= $0 }) ?? false { end(.failure(.timedOut)) }
    }

    func finish(_ code: CURLcode) {
        if let failure { return end(.failure(failure)) }
        if code == CURLE_OK { return end(isHeadTaken ? .success(()) : .failure(.unreachable("that was no HTTP"))) }
        let said = String(cString: reason)
        end(.failure(.unreachable(said.isEmpty ? Self.words(for: code) : said)))
    }

    /// - Returns: the number of bytes that were taken. Any other number ends the transfer.
    private static func take(
        _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?,
        _ body: (WebTransfer, UnsafeRawBufferPointer) throws(WebError) -> Void
    ) -> Int {
        guard let context else { return 0 }
        let transfer = Unmanaged<WebTransfer>.fromOpaque(context).takeUnretainedValue()
        transfer.received += count
        do {
            try body(transfer, UnsafeRawBufferPointer(start: bytes, count: count))
            return count
        } catch {
            transfer.failure = error
            return count + 1
        }
    }

    /// Takes one line of a head. An interim answer (RFC 9110 §15.2) and trailers are passed over.
    private func takeLine(_ bytes: UnsafeRawBufferPointer) throws(WebError) {
        guard !isHeadTaken else { return }
        let line = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        if let new = WebHead(statusLine: line) {
            head = new
        } else if !line.isEmpty {
            head?.add(fieldLine: line)
        } else if let head, head.status >= 200 {
            isHeadTaken = true
            try onHead(head)
        }
    }
}
