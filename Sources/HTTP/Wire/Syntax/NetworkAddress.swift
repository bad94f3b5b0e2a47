import Glibc

/// An IP address, without port and zone. IPv4 is kept as IPv4-mapped IPv6 (RFC 4291 §2.5.5.2), so both forms are equal.
package struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
    /// 16 bytes.
    let bytes: [UInt8]

    private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

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

    /// The first half of an IPv6 address, which identifies one network (RFC 4291 §2.5.4); nil for IPv4.
    package var network64: String? {
        isVersion4 ? nil : bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
    }

    /// Whether the address is in 127.0.0.0/8 (RFC 1122 §3.2.1.3) or is ::1 (RFC 4291 §2.5.3).
    package var isLoopback: Bool {
        isVersion4 ? bytes[12] == 127 : bytes.last == 1 && bytes.dropLast().allSatisfy { $0 == 0 }
    }

    package var isVersion4: Bool { bytes.starts(with: Self.mapped) }

    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let source = isVersion4 ? Array(bytes[12...]) : bytes
        guard inet_ntop(isVersion4 ? AF_INET : AF_INET6, source, &text, socklen_t(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
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
        guard pieces[1].utf8.allSatisfy(ByteClass.isDigit), let length = Int(pieces[1]), length <= width else {
            return nil
        }
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
