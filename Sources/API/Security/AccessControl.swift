import Base
package import Foundation
package import HTTP
package import History
import Metrics
import Telemetry

/// Who may do what, and how often: keys and sessions, the roles of routes, limits of rate. On the way of every request,
/// before its body is read.
package final class AccessControl: Middleware {
    /// Keys, and limits of rate.
    package struct Options: Sendable {
        /// The keys in force; nil lets everybody do everything.
        package var keys: KeyStore?
        /// Where services that share a history tell one another of sessions that were ended; nil where nobody shares it.
        package var sessions: SharedSessions?
        /// Requests a minute of one key, or of one address without a key; nil for any number.
        package var requestsPerMinute: Int?
        /// Wrong keys a minute from one address; nil for any number.
        package var wrongKeysPerMinute: Int?
        /// How long a browser stays signed in, in seconds.
        package var sessionLifetime: Int
        /// Whether a scan is saved when the request does not say.
        package var savesByDefault: Bool
        package var now: @Sendable () -> Date

        package init(
            keys: KeyStore? = nil, sessions: SharedSessions? = nil, requestsPerMinute: Int? = nil,
            wrongKeysPerMinute: Int? = nil, sessionLifetime: Int = 604_800, savesByDefault: Bool = true,
            now: @escaping @Sendable () -> Date = { Date() }
        ) {
            self.keys = keys
            self.sessions = sessions
            self.requestsPerMinute = requestsPerMinute
            self.wrongKeysPerMinute = wrongKeysPerMinute
            self.sessionLifetime = sessionLifetime
            self.savesByDefault = savesByDefault
            self.now = now
        }
    }

    /// Who makes a request.
    enum Caller: Sendable {
        /// No key was sent, or a session that is over.
        case nobody
        /// A key was sent that is none.
        case wrongKey
        case key(AccessKey, session: SessionToken?)
    }

    private let options: Options
    private let requests: RateLimiter?
    private let wrongKeys: RateLimiter?
    private let ended = Locked(EndedSessions())
    private let streams = OpenStreams()
    private let metrics: ServiceMetrics

    package init(_ options: Options, metrics: ServiceMetrics) {
        self.options = options
        self.metrics = metrics
        requests = options.requestsPerMinute.map { RateLimiter(limit: $0) }
        wrongKeys = options.wrongKeysPerMinute.map { RateLimiter(limit: $0) }
        countKeys()
    }

    var requiresKey: Bool { options.keys != nil }
    var sessionLifetime: Int { options.sessionLifetime }

    // MARK: Every request

    package func before(_ request: inout Request) -> Response? {
        if options.keys == nil, requests == nil { return nil }
        guard var problem = refusal(request) else { return nil }
        // Where the clients of the Open Inference Protocol look for it.
        if request.path.hasPrefix("/v2"), let detail = problem.detail { problem.extensions["error"] = .string(detail) }
        return .problem(problem)
    }

    /// Answers that a key was needed for are not for shared caches (RFC 9111 §3.5), and a stream ends with the right to it.
    package func after(_ request: Request, _ response: inout Response) {
        if response.isStream { watch(request, &response) }
        guard options.keys != nil, let value = response.headers["Cache-Control"], value.hasPrefix("public"),
            RouteRoles.role(for: request, savesByDefault: true) != nil
        else { return }
        response.headers["Cache-Control"] = "private" + value.dropFirst("public".count)
    }

    /// Has the stream end when the key is removed or loses its role, or the session ends.
    private func watch(_ request: Request, _ response: inout Response) {
        guard options.keys != nil, let role = RouteRoles.role(for: request, savesByDefault: options.savesByDefault)
        else {
            return
        }
        guard case .key(let key, let session) = caller(of: request) else {
            // It was lost while the answer was made.
            response = .problem(.keyMissing)
            return
        }
        let right = OpenStreams.Right(key: key.digest.identifier, role: role, session: session)
        response.surroundStream { [self] stream, close in
            try await streams.run(right, isRightful: { self.isRightful(right, self.roles) }, stream, close: close)
        }
    }

    /// The roles of the keys, by their identifiers.
    private var roles: [UInt64: Role] {
        Dictionary(
            (options.keys?.keys ?? []).map { ($0.digest.identifier, $0.role) }, uniquingKeysWith: { first, _ in first })
    }

    private func isRightful(_ right: OpenStreams.Right, _ roles: [UInt64: Role]) -> Bool {
        guard let role = roles[right.key], role >= right.role else { return false }
        guard let session = right.session else { return true }
        return session.expires > options.now() && !ended.withLock { $0.contains(session) }
    }

    /// Ends the streams that have lost their right.
    private func endStreams() {
        let roles = roles
        streams.end { isRightful($0, roles) }
    }

    private func refusal(_ request: Request) -> ProblemDetails? {
        let role = options.keys == nil ? nil : RouteRoles.role(for: request, savesByDefault: options.savesByDefault)
        let caller = role == nil ? .nobody : caller(of: request)
        if case .wrongKey = caller { return wrongKey(request) }
        // How many of these are looked at is for the recogniser to say: their clients take no 429.
        let takesKeyInForm = RouteRoles.takesKeyInForm(request.route)
        if let requests, !RouteRoles.isHealth(request.route), !takesKeyInForm {
            let client =
                if case .key(let key, _) = caller { Client.key(key.name) } else {
                    Client(address: request.remoteAddress)
                }
            if let seconds = requests.take(client) {
                metrics.refuse(.rate)
                return .tooManyRequests(limit: requests.limit, seconds: seconds)
            }
        }
        guard let role else { return nil }
        guard case .key(let key, _) = caller else {
            if takesKeyInForm, !hasTriedTooManyKeys(request) { return nil }
            metrics.refuse(.key)
            return .keyMissing
        }
        guard key.role >= role else {
            metrics.refuse(.role)
            return .roleMissing(role, has: key.role)
        }
        return nil
    }

    /// Whether so many wrong keys came from the address that its forms are no longer read.
    private func hasTriedTooManyKeys(_ request: Request) -> Bool {
        wrongKeys?.wait(for: Client(address: request.remoteAddress)) != nil
    }

    /// Takes the key that stands in a form, for routes of `RouteRoles.takesKeyInForm(_:)`, where the header had none. Each
    /// role will do.
    /// - Throws: ``Problem`` for a key that is none, or none at all: both count as tries.
    func checkKey(inForm secret: String?, of request: Request) throws {
        guard let keys = options.keys else { return }
        if case .key = caller(of: request) { return }
        var secret = secret ?? ""
        guard secret.withUTF8({ keys.key(of: KeyDigest(of: UnsafeRawBufferPointer($0))) }) != nil else {
            throw Problem(wrongKey(request))
        }
    }

    /// What somebody gets who sent a key that is none: 401, and 429 after too many.
    func wrongKey(_ request: Request) -> ProblemDetails {
        if let wrongKeys, let seconds = wrongKeys.take(Client(address: request.remoteAddress)) {
            metrics.refuse(.wrongKeys)
            return .tooManyWrongKeys(limit: wrongKeys.limit, seconds: seconds)
        }
        metrics.refuse(.key)
        return .keyWrong
    }

    // MARK: Who it is

    /// A key in Authorization counts alone, whatever cookie there is.
    func caller(of request: Request) -> Caller {
        guard let keys = options.keys else { return .nobody }
        let digest = request.headers.withValue(of: "Authorization") { Self.bearer($0).map { KeyDigest(of: $0) } }
        if let digest {
            guard let digest, let key = keys.key(of: digest) else { return .wrongKey }
            return .key(key, session: nil)
        }
        guard let cookie = SessionCookie.value(in: request),
            let session = SessionToken(cookie, keys: keys.keys, now: options.now()),
            !ended.withLock({ $0.contains(session) })
        else { return .nobody }
        return .key(session.key, session: session)
    }

    /// The token of `Bearer TOKEN` (RFC 6750 §2.1).
    private static func bearer(_ value: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let scheme: StaticString = "bearer "
        guard value.count > scheme.utf8CodeUnitCount else { return nil }
        for index in 0..<scheme.utf8CodeUnitCount {
            let byte = value[index]
            let lowered = byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
            guard lowered == scheme.utf8Start[index] else { return nil }
        }
        return UnsafeRawBufferPointer(rebasing: value[scheme.utf8CodeUnitCount...])
    }

    // MARK: Sessions

    /// Begins a session of the key.
    /// - Throws: ``Problem`` when it is none of the keys, or when too many came from that address that were none: then not
    ///   even a right one is taken, for whoever guesses must not learn of it.
    func signIn(_ secret: String, _ request: Request) throws -> SessionToken {
        let keys = try keyStore()
        if let wrongKeys, let seconds = wrongKeys.wait(for: Client(address: request.remoteAddress)) {
            metrics.refuse(.wrongKeys)
            throw Problem(.tooManyWrongKeys(limit: wrongKeys.limit, seconds: seconds))
        }
        var secret = secret
        guard let key = secret.withUTF8({ keys.key(of: KeyDigest(of: UnsafeRawBufferPointer($0))) }) else {
            throw Problem(wrongKey(request))
        }
        let earliest = ended.withLock { $0.earliestExpiry(of: key.digest.identifier) }
        let expires = options.now().addingTimeInterval(TimeInterval(options.sessionLifetime))
        return SessionToken(key: key, expires: max(expires, earliest))
    }

    /// Ends a session before its time: of services that share a history at all of them, otherwise until this one is restarted.
    /// The browser forgets it for good.
    func signOut(_ session: SessionToken) async throws(HistoryError) {
        let ending = EndedSession(
            key: session.key.digest.identifier, number: session.number, expires: session.expires)
        try await options.sessions?.end(ending)
        let all = ended.withLock { $0.note(ending, now: options.now()) }
        endStreams()
        if let all { try await options.sessions?.end(all) }
    }

    /// Learns which sessions were ended at other services, and ends the streams of sessions that are over by now.
    package func readEndedSessions() async throws(HistoryError) {
        defer { endStreams() }
        guard let sessions = options.sessions else { return }
        let now = options.now()
        let found = try await sessions.ended(at: now)
        ended.withLock { ended in for session in found { ended.note(session, now: now) } }
    }

    // MARK: The keys

    /// - Throws: ``Problem`` (409) where the service has none.
    func keyStore() throws -> KeyStore {
        guard let keys = options.keys else { throw Problem(.noKeys) }
        return keys
    }

    /// Reads the keys again; without effect where there are none.
    /// - Throws: ``KeyError``; then the keys before stay.
    package func reloadKeys() async throws {
        guard let keys = options.keys else { return }
        try await keys.reload()
        countKeys()
        endStreams()
    }

    /// As ``reloadKeys()``, if they have changed.
    /// - Returns: whether they have.
    package func reloadKeysIfChanged() async throws -> Bool {
        guard let keys = options.keys, try await keys.reloadIfChanged() else { return false }
        countKeys()
        endStreams()
        return true
    }

    private func countKeys() {
        guard let keys = options.keys?.keys else { return }
        for role in Role.allCases { metrics.keys.with(role.rawValue).set(keys.count { $0.role == role }) }
    }
}

extension ProblemDetails {
    /// 409: nobody needs to sign in.
    fileprivate static let noKeys = ProblemDetails(
        type: "/problems/no-keys", title: "No keys", status: .conflict,
        detail: "This service has no keys: everybody who reaches it may do everything, without signing in.")
}
