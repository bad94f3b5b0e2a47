package import HTTP

extension MenagerieAPI {
    /// Names of the settings that a refusal tells the operator of.
    package static let hostsSetting = "http.allowed_hosts"
    package static let originsSetting = "http.cors_origins"

    /// What stands around every route. First halves run in this order: other sites are kept out before anything else; a
    /// preflight is answered before keys are asked for, which browsers do not send with one. Second halves run in the
    /// reverse order for every answer, so that a refusal too may be read by the pages that CORS lists, and is packed last.
    /// - Parameters:
    ///   - origins: whose pages may read answers and, where they are listed, change things; nil for none but our own.
    ///   - compresses: whether answers are packed.
    ///   - traces: what has requests recorded; nil where nothing is traced.
    package static func middleware(
        hosts: AllowedHosts, origins: CORSMiddleware.Policy.Origins?, compresses: Bool, access: AccessControl,
        observer: any ServerObserver, traces: RequestTraces? = nil
    ) -> [any Middleware] {
        var trusted: Set<String> = []
        if case .listed(let listed) = origins { trusted = listed }
        var middleware: [any Middleware] = traces.map { [$0] } ?? []
        if compresses { middleware.append(CompressionMiddleware()) }
        middleware.append(
            SiteProtection(
                hosts: hosts, origins: trusted, hostsSetting: hostsSetting, originsSetting: originsSetting,
                observer: observer))
        if let origins { middleware.append(CORSMiddleware(CORSMiddleware.Policy(origins: origins))) }
        middleware.append(access)
        middleware.append(DeepStackErrors())
        return middleware
    }
}
