import Base

/// Finds the client behind proxies. Only proxies in configured networks are believed.
package struct TrustedProxies: Sendable {
    private let networks: [Network]
    /// Whether the peer of a Unix domain socket, which has no address, is believed.
    private let trustsUnixSocket: Bool

    /// Believes no proxy.
    package static let none = TrustedProxies()

    private init() { (networks, trustsUnixSocket) = ([], false) }

    /// - Parameter networks: blocks in CIDR notation; `unix` stands for peers of a Unix domain socket.
    /// - Throws: ``InvalidNetwork`` for the first entry that is neither.
    package init(_ networks: [String]) throws(InvalidNetwork) {
        var parsed: [Network] = []
        for text in networks where text != "unix" {
            guard let network = Network(text) else { throw InvalidNetwork(text: text) }
            parsed.append(network)
        }
        self.networks = parsed
        trustsUnixSocket = networks.contains("unix")
    }

    /// A setting that is neither an address nor a network.
    package struct InvalidNetwork: Error, Hashable, CustomStringConvertible {
        package let text: String
        package var description: String {
            "\"\(text)\" is not a network; it should read like 10.0.0.0/8, fd00::/8, 192.0.2.1 or unix."
        }
    }

    /// The address nearest to the client that a chain of trusted proxies vouches for. It comes from `Forwarded` (RFC
    /// 7239) or `X-Forwarded-For`. The list is read from its end while the addresses are trusted.
    ///
    /// Most proxies set one of the fields, and pass the other on as the client sent it. Where the two name different
    /// clients, neither is believed.
    /// - Parameter peer: the address of the connection; empty for a Unix socket.
    package func client(peer: String, headers: HeaderFields) -> String {
        guard isTrusted(peer) else { return peer }
        let (standard, common) = (headers.values(for: "Forwarded"), headers.values(for: "X-Forwarded-For"))
        // An element without "for" hides its node, so its text must not parse as an address.
        let nodes = WeightedList.elements(of: standard).map { Forwarding.value("for=", of: $0) ?? "" }
        let forwarded = client(peer: peer, nodes: nodes)
        let other = client(
            peer: peer, nodes: WeightedList.elements(of: common).map { String(decoding: $0, as: UTF8.self) })
        if standard.isEmpty { return other }
        return common.isEmpty || forwarded == other ? forwarded : peer
    }

    private func client(peer: String, nodes: [String]) -> String {
        var client = peer
        for node in nodes.reversed() {
            guard let address = Self.address(node) else { break }
            client = address.description
            if !isTrusted(client) { break }
        }
        return client
    }

    /// - Parameter peer: the address of the connection; empty for a Unix socket.
    package func isTrusted(_ peer: String) -> Bool {
        if peer.isEmpty { return trustsUnixSocket }
        guard !networks.isEmpty, let address = NetworkAddress(peer) else { return false }
        return networks.contains { $0.contains(address) }
    }

    /// Reads `192.0.2.43`, `192.0.2.43:47011`, `[2001:db8::17]:4711` or `2001:db8::17`; nil for `unknown`.
    private static func address(_ node: String) -> NetworkAddress? {
        if node.utf8.first == UInt8(ascii: "["), let end = node.firstIndex(of: "]") {
            return NetworkAddress(String(node[node.index(after: node.startIndex)..<end]))
        }
        if let address = NetworkAddress(node) { return address }
        guard let colon = node.lastIndex(of: ":") else { return nil }
        return NetworkAddress(String(node[..<colon])).flatMap { $0.isVersion4 ? $0 : nil }
    }
}
