import Base
import Testing
@testable import HTTP

@Suite("Trusted proxies")
struct TrustedProxiesTests {
    static func client(_ peer: String, _ headers: HeaderFields, trusting networks: [String]) throws -> String {
        try TrustedProxies(networks).client(peer: peer, headers: headers)
    }

    @Test("trusts no proxy by default")
    func default_() throws {
        #expect(try Self.client("10.0.0.1", ["X-Forwarded-For": "192.0.2.1"], trusting: []) == "10.0.0.1")
        #expect(try Self.client("", ["X-Forwarded-For": "192.0.2.1"], trusting: []) == "")
    }

    @Test("reads the chain from its end as far as it is trusted")
    func chain() throws {
        let headers: HeaderFields = ["X-Forwarded-For": "6.6.6.6, 192.0.2.1", "x-forwarded-for": "10.1.1.1"]
        #expect(try Self.client("10.0.0.1", headers, trusting: ["10.0.0.0/8"]) == "192.0.2.1")
        #expect(try Self.client("10.0.0.1", headers, trusting: ["10.0.0.0/16"]) == "10.1.1.1")
        #expect(try Self.client("11.0.0.1", headers, trusting: ["10.0.0.0/8"]) == "11.0.0.1")
        #expect(try Self.client("10.0.0.1", headers, trusting: ["0.0.0.0/0"]) == "6.6.6.6")
        #expect(try Self.client("10.0.0.1", [:], trusting: ["10.0.0.0/8"]) == "10.0.0.1")
        #expect(try Self.client("", headers, trusting: ["unix"]) == "10.1.1.1")
    }

    @Test(
        "reads Forwarded as RFC 7239 §4 writes it",
        arguments: [
            ("for=192.0.2.43", "192.0.2.43"), ("For=\"[2001:db8:cafe::17]:4711\"", "2001:db8:cafe::17"),
            ("for=192.0.2.60;proto=http;by=203.0.113.43", "192.0.2.60"), ("by=1.1.1.1; FOR=192.0.2.43", "192.0.2.43"),
            ("for=192.0.2.43, for=10.2.3.4", "192.0.2.43"), ("for=\"192.0.2.43:47011\"", "192.0.2.43"),
            ("for=1.1.1.1, for=unknown", "10.0.0.1"), ("for=1.1.1.1, for=\"_gazonk\"", "10.0.0.1"),
            ("for=1.1.1.1, proto=https", "10.0.0.1"), ("for=1.1.1.1, for=unknown, for=10.9.9.9", "10.9.9.9"),
        ])
    func forwarded(value: String, client: String) throws {
        #expect(try Self.client("10.0.0.1", ["Forwarded": value], trusting: ["10.0.0.0/8"]) == client)
    }

    /// A proxy that sets one of the fields passes the other on as the client sent it.
    @Test("believes neither field where they name different clients")
    func contradiction() throws {
        for (forwarded, other, client) in [
            ("for=6.6.6.6", "192.0.2.1", "10.0.0.1"), ("for=192.0.2.1", "6.6.6.6", "10.0.0.1"),
            ("for=unknown", "192.0.2.1", "10.0.0.1"), ("for=6.6.6.6", "", "10.0.0.1"),
            ("for=\"[::ffff:192.0.2.1]\"", "6.6.6.6, 192.0.2.1", "192.0.2.1"),
        ] {
            let headers: HeaderFields = ["Forwarded": forwarded, "X-Forwarded-For": other]
            #expect(try Self.client("10.0.0.1", headers, trusting: ["10.0.0.0/8"]) == client, "\(forwarded) \(other)")
        }
    }

    @Test("takes the last host and scheme that a proxy names, and none if it names none")
    func hostAndScheme() {
        let silent = Forwarding(["X-Forwarded-For": "192.0.2.1"])
        #expect(silent.host == nil && silent.scheme == nil)
        let named = Forwarding(["X-Forwarded-Host": "evil.example, zoo.example", "X-Forwarded-Proto": "HTTPS"])
        #expect(named.host == "zoo.example" && named.scheme == "https")
    }

    @Test(
        "reads addresses with ports",
        arguments: [
            ("192.0.2.1:80", "192.0.2.1"), ("[2001:db8::1]:80", "2001:db8::1"), ("2001:DB8::1", "2001:db8::1"),
            ("::ffff:192.0.2.1", "192.0.2.1"), ("fe80::1%eth0", "fe80::1"), ("rubbish", "::1"), ("1.2.3", "::1"),
        ])
    func ports(node: String, client: String) throws {
        #expect(try Self.client("::1", ["X-Forwarded-For": node], trusting: ["::1"]) == client)
    }

    @Test("compares networks bit by bit, in both families")
    func networks() throws {
        let rows: [(String, String, Bool)] = [
            ("192.0.2.128/25", "192.0.2.128", true), ("192.0.2.128/25", "192.0.2.127", false),
            ("10.0.0.0/8", "::ffff:10.1.2.3", true), ("192.0.2.1", "192.0.2.1", true),
            ("192.0.2.1", "192.0.2.2", false),
            ("2001:db8::/33", "2001:db8:7fff::1", true), ("2001:db8::/33", "2001:db8:8000::1", false),
            ("::/0", "10.1.2.3", true), ("0.0.0.0/0", "2001:db8::1", false), ("192.0.2.1/32", "192.0.2.0", false),
        ]
        for (network, address, isInside) in rows {
            let (network, address) = (try #require(Network(network)), try #require(NetworkAddress(address)))
            #expect(network.contains(address) == isInside, "\(network) \(address)")
        }
    }

    @Test(
        "refuses what is no network",
        arguments: ["", "10.0.0.0/33", "10.0.0.0/-1", "::/129", "a", "10.0.0.0/8/8", "/8"])
    func malformed(text: String) {
        #expect(throws: TrustedProxies.InvalidNetwork(text: text)) { try TrustedProxies(["::1", text]) }
    }
}
