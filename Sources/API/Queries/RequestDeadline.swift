import HTTP

extension Request {
    /// The time after which the client does not want the answer: `X-Request-Timeout` seconds after the request's
    /// arrival, but at most the service's limit.
    ///
    /// - Throws: `ProblemDetails` (400) if the field is not a positive number of seconds.
    func deadline(within limit: Duration) throws -> ContinuousClock.Instant {
        guard let text = headers["X-Request-Timeout"] else { return arrival + limit }
        guard let seconds = Double(text), seconds > 0, seconds.isFinite else {
            throw ProblemDetails(
                type: "/problems/invalid-header", title: "Invalid header field", status: .badRequest,
                detail: "X-Request-Timeout is “\(text.prefix(40))”, but has to be a number of seconds above 0.",
                extensions: ["header": "X-Request-Timeout"])
        }
        return arrival + min(limit, .seconds(min(seconds, 86_400)))
    }
}
