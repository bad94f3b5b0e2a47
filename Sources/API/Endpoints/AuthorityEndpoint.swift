import HTTP

/// `GET /authority.crt`: the authority's certificate. A phone that trusts it accepts this service's certificate.
struct AuthorityEndpoint: Sendable {
    /// The certificate in DER; nil if the service has no authority of its own.
    let certificate: [UInt8]?

    func register(in router: inout Router) {
        router.get("/authority.crt", .inlineWithoutQuery { _ in response() })
    }

    private func response() -> Response {
        guard let certificate else {
            return .problem(
                ProblemDetails(
                    .notFound,
                    detail: "This service has no authority of its own; one started by `menagerie serve --lan` has."))
        }
        return .bytes(certificate, type: MediaType("application", "x-x509-ca-cert"), cacheControl: "no-store")
    }
}
