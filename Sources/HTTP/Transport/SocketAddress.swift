import Base
import CSystemCalls
import Glibc

/// Conversions between socket addresses and text.
enum SocketAddress {
    /// The addresses of a host, which is a number or a name that the system resolves.
    static func resolve(_ host: String) throws(SystemCallError) -> [sockaddr_storage] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, "0", &hints, &list)
        guard code == 0, let list else { throw SystemCallError(call: "getaddrinfo(\(host))", code: EADDRNOTAVAIL) }
        defer { freeaddrinfo(list) }
        var found: [sockaddr_storage] = []
        var next: UnsafeMutablePointer<addrinfo>? = list
        while let entry = next {
            if let address = entry.pointee.ai_addr {
                var storage = sockaddr_storage()
                withUnsafeMutableBytes(of: &storage) {
                    $0.copyMemory(
                        from: UnsafeRawBufferPointer(start: address, count: Int(entry.pointee.ai_addrlen)))
                }
                found.append(storage)
            }
            next = entry.pointee.ai_next
        }
        return found
    }

    /// The numeric host without a port. An IPv4 client on an IPv6 socket appears as IPv4. Empty for a Unix socket.
    static func host(of storage: sockaddr_storage) -> String {
        var storage = storage
        let text: String? = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { buffer in
            withPointer(&storage) { pointer, length in
                guard let base = buffer.baseAddress,
                    getnameinfo(pointer, length, base, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST) == 0
                else { return nil }
                return String(cString: base)
            }
        }
        guard let text, storage.ss_family != sa_family_t(AF_UNIX) else { return "" }
        return text.hasPrefix("::ffff:") && text.contains(".") ? String(text.dropFirst(7)) : text
    }

    static func port(of storage: sockaddr_storage) -> Int {
        withUnsafeBytes(of: storage) {
            // sin_port and sin6_port lie at the same place, in network order.
            Int($0[2]) << 8 | Int($0[3])
        }
    }

    static func setPort(_ port: Int, of storage: inout sockaddr_storage) {
        withUnsafeMutableBytes(of: &storage) {
            $0[2] = UInt8(truncatingIfNeeded: port >> 8)
            $0[3] = UInt8(truncatingIfNeeded: port)
        }
    }

    static func withPointer<Result, Failure: Error>(
        _ storage: inout sockaddr_storage,
        _ body: (UnsafePointer<sockaddr>, socklen_t) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let size =
            switch CInt(storage.ss_family) {
            case AF_INET: MemoryLayout<sockaddr_in>.size
            case AF_INET6: MemoryLayout<sockaddr_in6>.size
            default: MemoryLayout<sockaddr_un>.size
            }
        return try withUnsafePointer(to: &storage) { pointer throws(Failure) in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer throws(Failure) in
                try body(pointer, socklen_t(size))
            }
        }
    }
}
