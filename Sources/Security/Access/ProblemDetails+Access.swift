package import HTTP

/// The problems of refused access, with the fields that tell a program the reason (RFC 6750 §3; RateLimit fields:
/// draft-ietf-httpapi-ratelimit-headers).
extension ProblemDetails {
    /// The way to authenticate, which a 401 has to name (RFC 9110 §15.5.2).
    package static let challenge = "Bearer realm=\"menagerie\""

    /// 401: no key was sent.
    static let keyMissing = ProblemDetails(
        type: "/problems/key-required", title: "Key required", status: .unauthorized,
        detail: "Send a key: “Authorization: Bearer …”, or sign in on the web page.",
        headers: ["WWW-Authenticate": challenge])

    /// 401: an unknown key was sent.
    static let keyWrong = ProblemDetails(
        type: "/problems/key-unknown", title: "Unknown key", status: .unauthorized,
        detail: "The key is not one of this service's; it may have been removed or replaced.",
        headers: ["WWW-Authenticate": "\(challenge), error=\"invalid_token\""])

    /// 403: the key is right, but its role is not enough.
    static func roleMissing(_ role: Role, has own: Role) -> ProblemDetails {
        ProblemDetails(
            type: "/problems/role-required", title: "Role required", status: .forbidden,
            detail: "This takes a key of the role \(role.rawValue); yours has the role \(own.rawValue).",
            extensions: ["role": .string(role.rawValue)],
            headers: [
                "WWW-Authenticate": "\(challenge), error=\"insufficient_scope\", scope=\"\(role.rawValue)\""
            ])
    }

    /// 429: too many requests from one client.
    static func tooManyRequests(limit: Int, seconds: Int) -> ProblemDetails {
        limited(
            "requests", limit, seconds,
            "One key, or one address without a key, may make \(limit) requests a minute. Try again in \(seconds) s.")
    }

    /// 429: too many wrong keys from one address.
    static func tooManyWrongKeys(limit: Int, seconds: Int) -> ProblemDetails {
        limited(
            "wrong-keys", limit, seconds,
            "Too many wrong keys came from your address. Try again in \(seconds) s.")
    }

    private static func limited(_ policy: String, _ limit: Int, _ seconds: Int, _ detail: String) -> ProblemDetails {
        let seconds = max(1, seconds)
        return ProblemDetails(
            .tooManyRequests, detail: detail,
            headers: [
                "Retry-After": String(seconds), "RateLimit-Policy": "\"\(policy)\";q=\(limit);w=60",
                "RateLimit": "\"\(policy)\";r=0;t=\(seconds)",
            ])
    }
}
