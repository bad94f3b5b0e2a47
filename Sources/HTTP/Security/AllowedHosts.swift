import Base
import Glibc

/// The host names under which this server answers.
///
/// In DNS rebinding an attacker points their own name at this machine. A browser then takes the attacker's page and
/// this service for one origin and shields nothing, but it sends that name in Host. Addresses are always allowed, since
/// using one takes no look-up. So is `localhost`, which browsers never look up (RFC 6761 §6.3).
package struct AllowedHosts: Sendable {
    /// Names in lower case, without port and last dot.
    private var names: [[UInt8]]
    /// Suffixes that begin with a dot. Every name below one is allowed.
    private var suffixes: [[UInt8]] = []
    private var allowsAny = false

    /// - Parameter names: names beside addresses and `localhost`: `zoo.example`, `*.zoo.example` for every name below
    ///   it, or `*` for any name at all. Entries have no port: every port is allowed.
    /// - Throws: ``InvalidHost`` for the first entry that is not such a name.
    package init(_ names: [String] = []) throws(InvalidHost) {
        self.names = [Array("localhost".utf8)]
        suffixes = [Array(".localhost".utf8)]
        for name in names { try allow(name) }
    }

    /// Allows this machine's own names: its full name, the first label, and the first label below `.local`, which
    /// neighbours find by multicast DNS (RFC 6762).
    package mutating func allowMachineName() {
        guard let name = NetworkAddress.machineName, let first = name.split(separator: ".").first else { return }
        // A machine may have a name that cannot stand in a request. Nobody can ask for it then.
        for each in [name, String(first), "\(first).local"] { allowIfName(each) }
    }

    /// Allows a host if it is a valid name. Addresses are allowed anyway.
    package mutating func allowIfName(_ host: String) {
        if host != "*" { try? allow(host) }
    }

    private mutating func allow(_ name: String) throws(InvalidHost) {
        if name == "*" {
            allowsAny = true
            return
        }
        let isSuffix = name.hasPrefix("*.")
        let bytes = Array((isSuffix ? name.dropFirst(2) : name[...]).utf8).map(ByteClass.lowercased)
        let isName = bytes.allSatisfy { ByteClass.isHost($0) && $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "*") }
        guard !bytes.isEmpty, bytes.first != UInt8(ascii: "."), isName else { throw InvalidHost(text: name) }
        if isSuffix { suffixes.append([UInt8(ascii: ".")] + bytes) } else { names.append(bytes) }
    }

    /// A name in the settings that no request could have as its host.
    package struct InvalidHost: Error, Hashable, CustomStringConvertible {
        package let text: String
        package var description: String {
            "\"\(text)\" is not the name of a host; it should read like zoo.example, *.zoo.example or *, without scheme and port."
        }
    }

    /// Whether a request for that host may be served. It allocates nothing.
    /// - Parameter authority: the value of Host, `name[:port]`, in any case (RFC 9110 §7.2).
    package func permits(_ authority: UnsafeRawBufferPointer) -> Bool {
        if allowsAny { return true }
        if authority.first == UInt8(ascii: "[") { return Self.isVersion6(authority) }
        var end = authority.firstIndex(of: UInt8(ascii: ":")) ?? authority.count
        // "localhost." is the absolute form of the same name.
        if end > 1, authority[end - 1] == UInt8(ascii: ".") { end -= 1 }
        let host = UnsafeRawBufferPointer(rebasing: authority[..<end])
        if Self.isVersion4(host) { return true }
        for name in names where Self.areEqual(host, name) { return true }
        for suffix in suffixes where host.count > suffix.count {
            if Self.areEqual(UnsafeRawBufferPointer(rebasing: host[(host.count - suffix.count)...]), suffix) {
                return true
            }
        }
        return false
    }

    package func permits(_ authority: String) -> Bool {
        var authority = authority
        return authority.withUTF8 { permits(UnsafeRawBufferPointer($0)) }
    }

    /// Whether the host is four numbers up to 255. Browsers rewrite every other form of an address to this one (URL
    /// standard, "IPv4 serializer").
    private static func isVersion4(_ host: UnsafeRawBufferPointer) -> Bool {
        guard let first = host.first, ByteClass.isDigit(first), host.count <= 15 else { return false }
        var parts = 1
        var number = 0
        var digits = 0
        for byte in host {
            if byte == UInt8(ascii: ".") {
                guard digits > 0 else { return false }
                parts += 1
                number = 0
                digits = 0
            } else {
                guard ByteClass.isDigit(byte), digits < 3 else { return false }
                number = number * 10 + Int(byte &- 0x30)
                digits += 1
                guard number <= 255 else { return false }
            }
        }
        return parts == 4 && digits > 0
    }

    /// Text in brackets is never looked up as a name.
    private static func isVersion6(_ authority: UnsafeRawBufferPointer) -> Bool {
        guard let close = authority.firstIndex(of: UInt8(ascii: "]")), close > 2 else { return false }
        return authority[1..<close].allSatisfy {
            Hexadecimal.value(of: $0) != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
        }
    }

    @inline(__always)
    private static func areEqual(_ host: UnsafeRawBufferPointer, _ name: [UInt8]) -> Bool {
        guard host.count == name.count else { return false }
        for index in 0..<host.count where ByteClass.lowercased(host[index]) != name[index] { return false }
        return true
    }
}
