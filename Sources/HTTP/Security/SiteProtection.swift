/// Stops pages of other sites from using this server in the name of the people who visit those pages.
///
/// - A request for a foreign host is refused with 421 (DNS rebinding; see ``AllowedHosts``).
/// - A request that may change something and comes from a page of another origin is refused with 403. Every method but
///   GET, HEAD and OPTIONS may change something. So may opening a WebSocket, which no browser holds back.
///   Sec-Fetch-Site tells where a request comes from (Fetch Metadata Request Headers §2.3), or Origin if it is absent
///   (RFC 6454 §7). A client that sends neither is not a browser.
///
/// This protection needs no cookies or keys, so it also covers a service that asks for none.
package struct SiteProtection: Middleware {
    private let hosts: AllowedHosts
    /// Origins whose pages may change things, as CORS lists them.
    private let origins: Set<String>
    private let hostsSetting: String
    private let originsSetting: String
    private let observer: (any ServerObserver)?

    /// - Parameters:
    ///   - origins: origins of other sites that may change things, such as `https://zoo.example`.
    ///   - hostsSetting: the name of the setting that allows a further host; a refusal shows it.
    ///   - originsSetting: the name of the setting that allows a further origin.
    package init(
        hosts: AllowedHosts, origins: Set<String> = [], hostsSetting: String, originsSetting: String,
        observer: (any ServerObserver)? = nil
    ) {
        self.hosts = hosts
        self.origins = origins
        self.hostsSetting = hostsSetting
        self.originsSetting = originsSetting
        self.observer = observer
    }

    package func before(_ request: inout Request) -> Response? {
        if let host = foreignHost(request) {
            observer?.refused(.host)
            return .problem(
                ProblemDetails(
                    .misdirectedRequest,
                    detail:
                        "This service is not known as “\(host.prefix(200))”. If it should be, name it in the setting "
                        + "\(hostsSetting)."))
        }
        guard mayChange(request), let site = foreignSite(request) else { return nil }
        observer?.refused(.crossSite)
        return .problem(
            ProblemDetails(
                type: "/problems/cross-site", title: "Cross-site request", status: .forbidden,
                detail: "A page of another site (\(site.prefix(200))) may not change anything here, unless the setting "
                    + "\(originsSetting) lists its origin."))
    }

    // MARK: Host

    /// The foreign host that the request is for, if any. Browsers always send Host.
    private func foreignHost(_ request: Request) -> String? {
        if request.headers.withValue(of: "Host", { hosts.permits($0) }) == false { return request.headers["Host"] }
        guard let forwarded = request.forwarded?.host, !hosts.permits(forwarded) else { return nil }
        return forwarded
    }

    // MARK: Site

    private func mayChange(_ request: Request) -> Bool {
        switch request.method {
        case .get: request.headers.contains("Upgrade")
        case .head, .options: false
        default: true
        }
    }

    /// The foreign site that the request comes from, if any.
    private func foreignSite(_ request: Request) -> String? {
        let isOwn = request.headers.withValue(of: "Sec-Fetch-Site") {
            $0.isEqual(to: "same-origin") || $0.isEqual(to: "none")
        }
        if isOwn == true { return nil }
        let origin = request.headers["Origin"]
        if let origin, origins.contains(origin) { return nil }
        // A subdomain, another port or another scheme makes another origin, so "same-site" is not enough.
        if isOwn == false { return origin ?? "\(request.headers["Sec-Fetch-Site"] ?? "")" }
        guard let origin, !isOwnOrigin(origin, request) else { return nil }
        return origin
    }

    /// Whether this server served the page of that origin. Without TLS here, a proxy may speak https.
    private func isOwnOrigin(_ origin: String, _ request: Request) -> Bool {
        let origin = origin.lowercased()
        let port: String
        if origin.hasPrefix("https://") {
            port = ":443"
        } else if origin.hasPrefix("http://"), !request.transport.contains(.tls) {
            port = ":80"
        } else {
            return false
        }
        let authority = Self.authority(String(origin.drop { $0 != "/" }.dropFirst(2)), defaultPort: port)
        return [request.headers["Host"], request.forwarded?.host].contains { host in
            host.map { Self.authority($0.lowercased(), defaultPort: port) == authority } ?? false
        }
    }

    private static func authority(_ text: String, defaultPort: String) -> String {
        text.hasSuffix(defaultPort) ? String(text.dropLast(defaultPort.count)) : text
    }
}
