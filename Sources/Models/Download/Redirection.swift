import Base
import Foundation
import Glibc

/// Where a server may send us on to. The operator chose the first address; every other one is the server's choice, and may
/// be meant to reach what only this machine can.
///
/// A name is looked up once: the connection goes to an address that was checked, whatever the name means a moment later. With
/// https the name itself stays, because the certificate is checked against it: a machine of the private network has none for
/// a name of the server's choice.
final class Redirection: Sendable {
    static let schemes: Set = ["http", "https"]
    private static let maximum = 5

    private let origin: URL
    private let allowsPrivate: Bool
    private let count = Locked(0)
    private let lookUp: @Sendable (String) -> [[UInt8]]?
    private let isPrivate: @Sendable ([UInt8]) -> Bool

    /// - Parameters:
    ///   - origin: the address that was asked for.
    ///   - lookUp: the addresses of a name, 16 bytes each; nil where there is none.
    init(
        from origin: URL, allowsPrivate: Bool,
        lookUp: @escaping @Sendable (String) -> [[UInt8]]? = { addresses(of: $0) },
        isPrivate: @escaping @Sendable ([UInt8]) -> Bool = { isPrivate($0) }
    ) {
        self.origin = origin
        self.allowsPrivate = allowsPrivate
        self.lookUp = lookUp
        self.isPrivate = isPrivate
    }

    /// What is asked for instead of an address that a server sends us on to.
    enum Decision: Equatable {
        case refused(String)
        /// - `host`: the field of that name, where the address is not the name that it was looked up by.
        case follow(URL, host: String?)
    }

    /// Blocks while a name is looked up.
    func decide(_ url: URL?) -> Decision {
        guard let url, let scheme = url.scheme?.lowercased(), Self.schemes.contains(scheme), let host = url.host else {
            return .refused("only http and https are followed")
        }
        if origin.scheme?.lowercased() == "https", scheme != "https" {
            return .refused("that is not encrypted, as the first was")
        }
        guard
            count.withLock({ count in
                count += 1
                return count <= Self.maximum
            })
        else { return .refused("that is once more than the \(Self.maximum) times that are followed") }
        let isOrigin = host == origin.host && url.port == origin.port && scheme == origin.scheme?.lowercased()
        if allowsPrivate || isOrigin { return .follow(url, host: nil) }
        guard let addresses = lookUp(host), let first = addresses.first else {
            return .refused("the name \(host) has no address")
        }
        guard !addresses.contains(where: isPrivate) else {
            return .refused("that is an address of this machine or of a private network; --allow-private follows it")
        }
        guard scheme == "http", var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
            return .follow(url, host: nil)
        }
        // IPv4 is what more machines can reach.
        parts.host = Self.text(of: addresses.first { $0.starts(with: Self.mapped) } ?? first)
        guard let pinned = parts.url else { return .refused("its address cannot be written") }
        return .follow(pinned, host: url.port.map { "\(host):\($0)" } ?? host)
    }

    /// As an address is written in a URL (RFC 3986 §3.2.2).
    private static func text(of address: [UInt8]) -> String {
        if address.starts(with: mapped) { return address.suffix(4).map(String.init).joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map {
            String(UInt16(address[$0]) << 8 | UInt16(address[$0 + 1]), radix: 16)
        }
        return "[\(groups.joined(separator: ":"))]"
    }

    /// 16 bytes each, IPv4 as IPv4-mapped IPv6 (RFC 4291 §2.5.5.2); nil where there is none.
    static func addresses(of host: String) -> [[UInt8]]? {
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

    private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
    /// NAT64 (RFC 6052 §2.1): an IPv4 address in other words.
    private static let translated: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]

    /// Whether an address is none of the public internet (IANA's special-purpose registries, RFC 6890).
    ///
    /// - Parameter address: 16 bytes.
    static func isPrivate(_ address: [UInt8]) -> Bool {
        if address.starts(with: mapped) || address.starts(with: translated) {
            return isPrivate4(Array(address.suffix(4)))
        }
        // 6to4 (RFC 3056) carries one, too.
        if address.starts(with: [0x20, 0x02]) { return isPrivate4(Array(address[2..<6])) }
        // Unspecified, loopback and whatever else is compatible with IPv4; unique local; link-local; multicast.
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
