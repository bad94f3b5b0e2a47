import HTTP
import Testing

@Suite("Site protection")
struct SiteProtectionTests {
    private func answer(
        _ method: Method, _ headers: HeaderFields, transport: Request.Transport = []
    ) throws -> Response? {
        let protection = SiteProtection(
            hosts: try AllowedHosts(["zoo.example"]), origins: ["https://app.example"], hostsSetting: "the.hosts",
            originsSetting: "the.origins")
        var request = Request(method: method, headers: headers, transport: transport)
        return protection.before(&request)
    }

    @Test("a refusal names the setting that would allow it")
    func remedy() throws {
        let host = try #require(try answer(.get, ["Host": "evil.example:8080"]))
        #expect(host.status == .misdirectedRequest)
        #expect(host.text.contains("evil.example:8080") && host.text.contains("the.hosts"))
        let site = try #require(try answer(.delete, ["Host": "localhost", "Origin": "http://evil.example"]))
        #expect(site.status == .forbidden)
        #expect(site.text.contains("http://evil.example") && site.text.contains("the.origins"))
    }

    @Test(
        "changes from other origins are refused",
        arguments: [
            ["Origin": "http://evil.example"], ["Origin": "null"], ["Origin": "http://localhost:8081"],
            ["Origin": "http://localhost:8080.evil.example"], ["Origin": "https://localhost:8080@evil.example"],
            ["Origin": "http://127.0.0.1:8080"], ["Origin": ""], ["Origin": "file://"],
            ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"], ["Sec-Fetch-Site": "anything"],
            ["Sec-Fetch-Site": "cross-site", "Origin": "http://localhost:8080"],
        ] as [HeaderFields])
    func foreign(fields: HeaderFields) throws {
        for method in [Method.post, .put, .patch, .delete, Method(rawValue: "PURGE")] {
            var headers = fields
            headers["Host"] = "localhost:8080"
            #expect(try answer(method, headers)?.status == .forbidden, "\(method)")
        }
        var headers = fields
        headers["Host"] = "localhost:8080"
        for method in [Method.get, .head, .options] { #expect(try answer(method, headers) == nil, "\(method)") }
        headers["Upgrade"] = "websocket"
        #expect(try answer(.get, headers)?.status == .forbidden)
    }

    @Test(
        "changes from the service's own page, from allowed ones and from what is no browser pass",
        arguments: [
            [:], ["Origin": "http://localhost:8080"], ["Origin": "HTTP://LOCALHOST:8080"],
            ["Origin": "https://app.example"], ["Origin": "https://app.example", "Sec-Fetch-Site": "cross-site"],
            ["Sec-Fetch-Site": "same-origin"], ["Sec-Fetch-Site": "none"],
        ] as [HeaderFields])
    func own(fields: HeaderFields) throws {
        var headers = fields
        headers["Host"] = "localhost:8080"
        #expect(try answer(.delete, headers) == nil)
    }

    @Test("a default port is the same whether it is written or not")
    func ports() throws {
        #expect(try answer(.post, ["Host": "zoo.example", "Origin": "https://zoo.example"]) == nil)
        #expect(try answer(.post, ["Host": "zoo.example:443", "Origin": "https://zoo.example"]) == nil)
        #expect(try answer(.post, ["Host": "zoo.example:80", "Origin": "http://zoo.example"]) == nil)
        #expect(try answer(.post, ["Host": "zoo.example:443", "Origin": "http://zoo.example"])?.status == .forbidden)
    }

    @Test("over TLS the unencrypted page of the same name is another origin")
    func downgrade() throws {
        let headers: HeaderFields = ["Host": "zoo.example", "Origin": "http://zoo.example"]
        #expect(try answer(.post, headers) == nil)
        #expect(try answer(.post, headers, transport: .tls)?.status == .forbidden)
    }

    @Test("only a trusted proxy says for which host a request was")
    func forwarding() throws {
        let own: HeaderFields = ["Origin": "https://zoo.example", "Host": "127.0.0.1:8080"]
        for field in [("X-Forwarded-Host", "zoo.example"), ("Forwarded", "for=6.6.6.6, for=1.2.3.4;host=zoo.example")] {
            var headers = own
            headers[field.0] = field.1
            #expect(try answer(.post, headers)?.status == .forbidden, "\(field)")
            #expect(try answer(.post, headers, transport: .trustedPeer) == nil, "\(field)")
        }
        // DNS rebinding: the attacker's host name points to the proxy's address.
        let rebound: HeaderFields = ["Host": "127.0.0.1:8080", "X-Forwarded-Host": "evil.example"]
        #expect(try answer(.get, rebound) == nil)
        #expect(try answer(.get, rebound, transport: .trustedPeer)?.status == .misdirectedRequest)
        // A client can set this field itself through the proxy, so it must not make a foreign Host valid.
        let spoofed: HeaderFields = ["Host": "evil.example", "X-Forwarded-Host": "localhost"]
        #expect(try answer(.get, spoofed, transport: .trustedPeer)?.status == .misdirectedRequest)
    }

    @Test("HTTP/1.0 without a host reads, but no page of any origin changes")
    func withoutHost() throws {
        #expect(try answer(.get, [:]) == nil)
        #expect(try answer(.delete, [:]) == nil)
        #expect(try answer(.delete, ["Origin": "http://localhost"])?.status == .forbidden)
    }
}

extension Response {
    fileprivate var text: String {
        guard case .bytes(let bytes) = body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }
}
