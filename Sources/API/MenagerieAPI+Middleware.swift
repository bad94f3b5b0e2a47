package import HTTP
package import Security

extension MenagerieAPI {
    /// The middleware of every route. The `before` hooks run in this order. Other sites are kept out first. A preflight
    /// is answered before keys are checked, because browsers send it without one. The `after` hooks run in reverse
    /// order, so that pages that CORS lists can read refusals too, and packing comes last.
    /// - Parameters:
    ///   - origins: pages that may read answers and, if listed, change things; nil for none but our own.
    ///   - compresses: whether answers are packed.
    ///   - traces: records requests; nil if nothing is traced.
    package static func middleware(
        hosts: AllowedHosts, origins: CORSMiddleware.Origins?, compresses: Bool, access: AccessControl,
        observer: any ServerObserver, traces: (any Middleware)? = nil
    ) -> [any Middleware] {
        var trusted: Set<String> = []
        if case .listed(let listed) = origins { trusted = listed }
        var middleware: [any Middleware] = traces.map { [$0] } ?? []
        if compresses { middleware.append(CompressionMiddleware()) }
        middleware.append(
            SiteProtection(
                hosts: hosts, origins: trusted, hostsSetting: "http.allowed_hosts",
                originsSetting: "http.cors_origins", observer: observer))
        if let origins { middleware.append(CORSMiddleware(origins: origins)) }
        middleware.append(access)
        middleware.append(DeepStackErrors())
        return middleware
    }
}
