internal import Glibc

/// An IP address, without port and zone. IPv4 is kept as IPv4-mapped IPv6 (RFC 4291 §2.5.5.2), so both forms are equal.
package struct NetworkAddress: Hashable, Sendable {
    /// 16 bytes.
    fileprivate let bytes: [UInt8]

    private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
    /// The prefix of NAT64 (RFC 6052 §2.1), which an IPv4 address follows.
    private static let translated: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
    /// The prefix of a network's own NAT64 (RFC 8215).
    private static let locallyTranslated: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 1]

    package init?(_ text: String) {
        var version4 = in_addr()
        if inet_pton(AF_INET, text, &version4) == 1 {
            bytes = Self.mapped + withUnsafeBytes(of: &version4) { Array($0) }
            return
        }
        var version6 = in6_addr()
        // A zone ("%eth0") has no meaning on another host.
        let zoneless = text.utf8.firstIndex(of: UInt8(ascii: "%")).map { String(text[..<$0]) } ?? text
        guard inet_pton(AF_INET6, zoneless, &version6) == 1 else { return nil }
        bytes = withUnsafeBytes(of: &version6) { Array($0) }
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// The addresses of a name or of a literal address; nil if there are none. Blocks.
    package static func all(of host: String) -> [NetworkAddress]? {
        var list: UnsafeMutablePointer<addrinfo>?
        let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        var hints = addrinfo()
        // Without a type, each address comes once for each type of socket.
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_V4MAPPED | AI_ADDRCONFIG
        guard getaddrinfo(bare, nil, &hints, &list) == 0, let first = list else { return nil }
        defer { freeaddrinfo(list) }
        let addresses = sequence(first: first, next: { $0.pointee.ai_next }).compactMap { item -> NetworkAddress? in
            // sin_addr and sin6_addr lie at these places (ip(7), ipv6(7)).
            let bytes = UnsafeRawBufferPointer(start: item.pointee.ai_addr, count: Int(item.pointee.ai_addrlen))
            switch item.pointee.ai_family {
            case AF_INET: return NetworkAddress(bytes: mapped + bytes[4..<8])
            case AF_INET6: return NetworkAddress(bytes: Array(bytes[8..<24]))
            default: return nil
            }
        }
        return addresses.isEmpty ? nil : addresses
    }

    /// What identifies the client with an address: the address, or the first 64 bits of an IPv6 address, because a host
    /// can use all of its network (RFC 4291 §2.5.4).
    package static func client(at address: String) -> String {
        // Only IPv6 has a colon, so the usual address needs no parsing.
        guard address.utf8.contains(UInt8(ascii: ":")), let parsed = NetworkAddress(address), !parsed.isVersion4 else {
            return address
        }
        return parsed.bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
    }

    /// Whether the address is in 127.0.0.0/8 (RFC 1122 §3.2.1.3) or is ::1 (RFC 4291 §2.5.3).
    package var isLoopback: Bool {
        isVersion4 ? bytes[12] == 127 : bytes.last == 1 && bytes.dropLast().allSatisfy { $0 == 0 }
    }

    package var isVersion4: Bool { bytes.starts(with: Self.mapped) }

    /// Whether the address is outside the public internet (IANA's special-purpose registries, RFC 6890).
    package var isPrivate: Bool {
        if isVersion4 || bytes.starts(with: Self.translated) { return Self.isPrivate4(bytes.suffix(4)) }
        // 6to4 (RFC 3056) contains an IPv4 address too.
        if bytes.starts(with: [0x20, 0x02]) { return Self.isPrivate4(bytes[2..<6]) }
        // Unspecified, loopback and other IPv4-compatible addresses; unique local; link-local; multicast.
        return bytes.prefix(12).allSatisfy { $0 == 0 } || bytes.starts(with: Self.locallyTranslated)
            || bytes[0] & 0xFE == 0xFC || bytes[0] == 0xFE && bytes[1] & 0xC0 >= 0x80 || bytes[0] == 0xFF
    }

    private static func isPrivate4(_ address: ArraySlice<UInt8>) -> Bool {
        let address = Array(address)
        return switch (address[0], address[1]) {
        case (0, _), (10, _), (127, _), (169, 254), (192, 168), (198, 18...19), (224..., _): true
        case (100, 64...127), (172, 16...31): true
        case (192, 0): address[2] == 0
        default: false
        }
    }
}

extension NetworkAddress: CustomStringConvertible {
    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let source = isVersion4 ? Array(bytes[12...]) : bytes
        guard inet_ntop(isVersion4 ? AF_INET : AF_INET6, source, &text, socklen_t(text.count)) != nil else { return "" }
        return String(writtenInto: text)
    }

    /// The address as it is written in a URL (RFC 3986 §3.2.2).
    package var urlHost: String { isVersion4 ? description : "[\(description)]" }
}

extension NetworkAddress {
    /// This machine's name, which Foundation's `hostName` would ask the network for.
    package static var machineName: String? {
        var buffer = [CChar](repeating: 0, count: 256)
        return gethostname(&buffer, buffer.count - 1) == 0 ? String(writtenInto: buffer) : nil
    }
}

/// A block of addresses in CIDR notation (RFC 4632): `10.0.0.0/8`, `fd00::/8`, or one address.
package struct Network: Hashable, Sendable {
    private let address: NetworkAddress
    /// The number of leading bits, 0 to 128, of the IPv4-mapped form.
    private let prefixLength: Int

    package init?(_ text: String) {
        let pieces = text.split(separator: "/", omittingEmptySubsequences: false)
        guard pieces.count <= 2, let address = pieces.first.flatMap({ NetworkAddress(String($0)) }) else { return nil }
        self.address = address
        let width = address.isVersion4 ? 32 : 128
        guard pieces.count == 2 else {
            prefixLength = 128
            return
        }
        guard pieces[1].first?.isNumber == true, let length = Int(pieces[1]), length <= width else { return nil }
        prefixLength = 128 - width + length
    }

    package func contains(_ other: NetworkAddress) -> Bool {
        let whole = prefixLength / 8
        guard address.bytes[..<whole] == other.bytes[..<whole] else { return false }
        let rest = prefixLength % 8
        if rest == 0 { return true }
        let mask = UInt8.max << UInt8(8 - rest)
        return address.bytes[whole] & mask == other.bytes[whole] & mask
    }
}
