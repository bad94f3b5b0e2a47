import Base
package import Foundation
package import HTTP
package import Storage

/// Access control by keys, sessions, the roles of routes, and rate limits. It runs before a body is read.
package final class AccessControl: Middleware {
    /// The keys and the rate limits.
    package struct Options: Sendable {
        /// The valid keys; nil lets everybody do everything.
        package var keys: KeyStore?
        /// The record of ended sessions that services with a common history share; nil for a single service.
        package var sessions: SharedSessions?
        /// The requests per minute for one key, or for one address without a key; nil sets no limit.
        package var requestsPerMinute: Int?
        /// The wrong keys per minute from one address; nil sets no limit.
        package var wrongKeysPerMinute: Int?
        /// The time that a browser stays signed in, in seconds.
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

    /// The sender of a request.
    package enum Caller: Sendable {
        /// The request has no key, or its session is over.
        case nobody
        /// The request has an unknown key.
        case wrongKey
        case key(AccessKey, session: SessionToken?)
    }

    private let options: Options
    private let requests: RateLimiter?
    private let wrongKeys: RateLimiter?
    private let ended = Locked(EndedSessions())
    private let streams = OpenStreams()
    private let observer: any AccessObserver

    package init(_ options: Options, observer: any AccessObserver) {
        self.options = options
        self.observer = observer
        requests = options.requestsPerMinute.map { RateLimiter(limit: $0) }
        wrongKeys = options.wrongKeysPerMinute.map { RateLimiter(limit: $0) }
        countKeys()
    }

    package var requiresKey: Bool { options.keys != nil }
    package var sessionLifetime: Int { options.sessionLifetime }

    // MARK: Every request

    package func before(_ request: inout Request) -> Response? {
        if options.keys == nil, requests == nil { return nil }
        guard var problem = refusal(request) else { return nil }
        // Clients of the Open Inference Protocol look for the error in this member.
        if request.path.hasPrefix("/v2"), let detail = problem.detail { problem.extensions["error"] = .string(detail) }
        return .problem(problem)
    }

    /// Keeps answers that needed a key out of shared caches (RFC 9111 §3.5), and ends a stream when its right ends.
    package func after(_ request: Request, _ response: inout Response) {
        if response.isStream { watch(request, &response) }
        guard options.keys != nil, let value = response.headers["Cache-Control"], value.hasPrefix("public"),
            RouteRoles.role(for: request, savesByDefault: true) != nil
        else { return }
        response.headers["Cache-Control"] = "private" + value.dropFirst("public".count)
    }

    /// Ends the stream when the key is removed or loses its role, or the session ends.
    private func watch(_ request: Request, _ response: inout Response) {
        guard options.keys != nil, let role = RouteRoles.role(for: request, savesByDefault: options.savesByDefault)
        else {
            return
        }
        guard case .key(let key, let session) = caller(of: request) else {
            // The right was lost while the answer was made.
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
        return right.session.map { $0.expires > options.now() && !hasEnded($0) } ?? true
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
        // These requests have no limit here, because their clients do not understand 429. The recogniser limits them.
        let takesKeyInForm = RouteRoles.takesKeyInForm(request.route)
        if let requests, !RouteRoles.isHealth(request.route), !takesKeyInForm {
            let client =
                if case .key(let key, _) = caller { Client.key(key.name) } else {
                    Client(address: request.remoteAddress)
                }
            if let seconds = requests.take(client) {
                observer.refused(.rate)
                return .tooManyRequests(limit: requests.limit, seconds: seconds)
            }
        }
        guard let role else { return nil }
        guard case .key(let key, _) = caller else {
            if takesKeyInForm, !hasTriedTooManyKeys(request) { return nil }
            observer.refused(.key)
            return .keyMissing
        }
        guard key.role >= role else {
            observer.refused(.role)
            return .roleMissing(role, has: key.role)
        }
        return nil
    }

    /// Whether too many wrong keys came from the address, so that its forms are not read.
    private func hasTriedTooManyKeys(_ request: Request) -> Bool {
        wrongKeys?.wait(for: Client(address: request.remoteAddress)) != nil
    }

    /// Checks a key in a form, for routes of `RouteRoles.takesKeyInForm(_:)` whose header had none. Any role is enough.
    /// - Throws: `ProblemDetails` for an unknown or missing key. Both count as tries.
    package func checkKey(inForm secret: String?, of request: Request) throws {
        guard let keys = options.keys else { return }
        if case .key = caller(of: request) { return }
        var secret = secret ?? ""
        guard secret.withUTF8({ keys.key(of: KeyDigest(of: UnsafeRawBufferPointer($0))) }) != nil else {
            throw wrongKey(request)
        }
    }

    /// The problem for an unknown key: 401, or 429 after too many.
    package func wrongKey(_ request: Request) -> ProblemDetails {
        if let wrongKeys, let seconds = wrongKeys.take(Client(address: request.remoteAddress)) {
            observer.refused(.wrongKeys)
            return .tooManyWrongKeys(limit: wrongKeys.limit, seconds: seconds)
        }
        observer.refused(.key)
        return .keyWrong
    }

    // MARK: Who it is

    /// The sender of the request. A key in Authorization takes precedence over any cookie. Another scheme there is a
    /// proxy's, since browsers send Basic with every request.
    package func caller(of request: Request) -> Caller {
        guard let keys = options.keys else { return .nobody }
        let digest = request.headers.withValue(of: "Authorization") { Self.bearer($0).map { KeyDigest(of: $0) } }
        if case .some(.some(let digest)) = digest {
            guard let key = keys.key(of: digest) else { return .wrongKey }
            return .key(key, session: nil)
        }
        guard let cookie = SessionCookie.value(in: request),
            let session = SessionToken(cookie, keys: keys.keys, now: options.now()), !hasEnded(session)
        else { return .nobody }
        return .key(session.key, session: session)
    }

    /// The token of `Bearer TOKEN` (RFC 6750 §2.1). RFC 9110 §11.4 allows several spaces before it.
    private static func bearer(_ value: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let scheme: StaticString = "bearer "
        let length = scheme.utf8CodeUnitCount
        guard value.count > length, UnsafeRawBufferPointer(rebasing: value[..<length]).equals(scheme) else {
            return nil
        }
        return UnsafeRawBufferPointer(rebasing: value[length...].drop { $0 == UInt8(ascii: " ") })
    }

    // MARK: Sessions

    /// A session that expires later began while the clock was far ahead, and is over. The clocks of two replicas may
    /// differ by a day.
    private var latestExpiry: Date { options.now() + TimeInterval(options.sessionLifetime) + 86_400 }

    private func hasEnded(_ session: SessionToken) -> Bool {
        session.expires > latestExpiry || ended.withLock { $0.contains(session) }
    }

    /// Begins a session for the key.
    /// - Throws: `ProblemDetails` if the key is unknown, or too many wrong keys came from that address. In that case
    ///   even a right key is refused, so that guessing stays useless.
    package func signIn(_ secret: String, _ request: Request) throws -> SessionToken {
        let keys = try keyStore()
        if let wrongKeys, let seconds = wrongKeys.wait(for: Client(address: request.remoteAddress)) {
            observer.refused(.wrongKeys)
            throw ProblemDetails.tooManyWrongKeys(limit: wrongKeys.limit, seconds: seconds)
        }
        var secret = secret
        guard let key = secret.withUTF8({ keys.key(of: KeyDigest(of: UnsafeRawBufferPointer($0))) }) else {
            throw wrongKey(request)
        }
        let earliest = ended.withLock { $0.earliestExpiry(of: key.digest.identifier) }
        let expires = options.now().addingTimeInterval(TimeInterval(options.sessionLifetime))
        return SessionToken(key: key, expires: max(expires, earliest))
    }

    /// Ends a session early. Services with a common history all learn of it; a single service remembers it until its
    /// restart. The browser forgets the session for good.
    package func signOut(_ session: SessionToken) async throws(HistoryError) {
        let ending = EndedSession(
            key: session.key.digest.identifier, number: session.number, expires: session.expires)
        try await options.sessions?.end(ending)
        let all = ended.withLock { $0.note(ending, now: options.now()) }
        endStreams()
        if let all { try await options.sessions?.end(all) }
    }

    /// Reads which sessions were ended at other services, and ends the streams of sessions that are over.
    package func readEndedSessions() async throws(HistoryError) {
        defer { endStreams() }
        guard let sessions = options.sessions else { return }
        let now = options.now()
        let found = try await sessions.ended(at: now)
        let current = found.filter { $0.expires <= latestExpiry }
        ended.withLock { ended in for session in current { ended.note(session, now: now) } }
    }

    // MARK: The keys

    /// - Throws: `ProblemDetails` (409) if the service has no keys.
    package func keyStore() throws -> KeyStore {
        guard let keys = options.keys else { throw ProblemDetails.noKeys }
        return keys
    }

    /// Reads the keys again; does nothing on a service without keys.
    /// - Parameter isNeeded: whether keys that have not changed since the last reading are read too.
    /// - Returns: whether the keys were read.
    /// - Throws: ``KeyError``, but for each failure only once unless `isNeeded`. The old keys stay valid then, so an
    ///   editing mistake or an unreachable database neither locks everybody out nor lets anybody in.
    @discardableResult
    package func reloadKeys(isNeeded: Bool = true) async throws(KeyError) -> Bool {
        guard let keys = options.keys, try await keys.reload(isNeeded: isNeeded) else { return false }
        countKeys()
        endStreams()
        return true
    }

    private func countKeys() {
        guard let keys = options.keys?.keys else { return }
        for role in Role.allCases { observer.holds(keys.count { $0.role == role }, of: role) }
    }
}

extension ProblemDetails {
    /// 409: the service has no keys, so nobody needs to sign in.
    fileprivate static let noKeys = ProblemDetails(
        type: "/problems/no-keys", title: "No keys", status: .conflict,
        detail: "This service has no keys: everybody who reaches it may do everything, without signing in.")
}

/// Learns of refused requests and of the number of keys, such as for metrics.
package protocol AccessObserver: Sendable {
    func refused(_ reason: AccessRefusal)
    /// Called when the keys were read.
    func holds(_ keys: Int, of role: Role)
}

/// The reasons of a refused access.
package enum AccessRefusal: String, CaseIterable, Sendable {
    /// No key, or a wrong one.
    case key
    case role
    /// Too many requests.
    case rate
    /// Too many wrong keys.
    case wrongKeys = "wrong_keys"
}
