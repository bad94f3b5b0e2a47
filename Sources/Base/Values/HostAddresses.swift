internal import Glibc

/// Finds the addresses of hosts, and whether they belong to the public internet.
package enum HostAddresses {
    /// The addresses of a name or of a literal address, 16 bytes each, with IPv4 as IPv4-mapped IPv6 (RFC 4291
    /// §2.5.5.2); nil if there are none. Blocks.
    package static func addresses(of host: String) -> [[UInt8]]? {
        var list: UnsafeMutablePointer<addrinfo>?
        let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        guard getaddrinfo(bare, nil, nil, &list) == 0, let first = list else { return nil }
        defer { freeaddrinfo(list) }
        var addresses: [[UInt8]] = []
        for item in sequence(first: first, next: { $0.pointee.ai_next }) {
            guard let address = item.pointee.ai_addr else { continue }
            switch item.pointee.ai_family {
            case AF_INET:
                let bytes = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    withUnsafeBytes(of: $0.pointee.sin_addr) { Array($0) }
                }
                addresses.append(Self.mapped + bytes)
            case AF_INET6:
                addresses.append(
                    address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                        withUnsafeBytes(of: $0.pointee.sin6_addr) { Array($0) }
                    })
            default: continue
            }
        }
        return addresses.isEmpty ? nil : addresses
    }

    /// The address as it is written in a URL (RFC 3986 §3.2.2).
    package static func text(of address: [UInt8]) -> String {
        if isVersion4(address) { return address.suffix(4).map(String.init).joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map {
            String(UInt16(address[$0]) << 8 | UInt16(address[$0 + 1]), radix: 16)
        }
        return "[\(groups.joined(separator: ":"))]"
    }

    /// Whether these 16 bytes are an IPv4 address.
    package static func isVersion4(_ address: [UInt8]) -> Bool { address.starts(with: mapped) }

    private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
    /// The prefix of NAT64 (RFC 6052 §2.1), which an IPv4 address follows.
    private static let translated: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]

    /// Whether an address is outside the public internet (IANA's special-purpose registries, RFC 6890).
    ///
    /// - Parameter address: 16 bytes.
    package static func isPrivate(_ address: [UInt8]) -> Bool {
        if address.starts(with: mapped) || address.starts(with: translated) {
            return isPrivate4(Array(address.suffix(4)))
        }
        // 6to4 (RFC 3056) contains an IPv4 address too.
        if address.starts(with: [0x20, 0x02]) { return isPrivate4(Array(address[2..<6])) }
        // Unspecified, loopback and other IPv4-compatible addresses; unique local; link-local; multicast.
        return address.prefix(12).allSatisfy { $0 == 0 } || address[0] & 0xFE == 0xFC
            || address[0] == 0xFE && address[1] & 0xC0 >= 0x80 || address[0] == 0xFF
    }

    private static func isPrivate4(_ address: [UInt8]) -> Bool {
        switch (address[0], address[1]) {
        case (0, _), (10, _), (127, _), (169, 254), (192, 168), (198, 18...19), (224..., _): true
        case (100, 64...127), (172, 16...31): true
        case (192, 0): address[2] == 0
        default: false
        }
    }
}
