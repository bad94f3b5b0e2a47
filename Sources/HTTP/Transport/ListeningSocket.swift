import CSystemCalls
import Glibc

/// A bound and listening socket with its address.
struct ListeningSocket {
    let descriptor: CInt
    let address: BoundAddress
    var unixPath: String?

    /// Makes the kernel refuse new connections, and removes the file of a Unix socket.
    func close() {
        Socket.close(descriptor)
        if let unixPath { unlink(unixPath) }
    }

    /// Binds one socket for every address of the host, or the Unix socket.
    static func bind(_ configuration: ServerConfiguration) throws(SystemCallError) -> [ListeningSocket] {
        let backlog = CInt(clamping: configuration.backlog)
        if let path = configuration.unixSocketPath {
            return [try bindUnix(path, backlog: backlog)]
        }
        var sockets: [ListeningSocket] = []
        var port = configuration.port
        do {
            let addresses = try SocketAddress.resolve(configuration.host)
            for address in addresses {
                let socket = try bind(address, port: port, isOnly: addresses.count == 1, backlog: backlog)
                port = socket.address.port
                sockets.append(socket)
            }
        } catch {
            for socket in sockets { Socket.close(socket.descriptor) }
            throw error
        }
        return sockets
    }

    private static func bind(
        _ address: sockaddr_storage, port: Int, isOnly: Bool, backlog: CInt
    ) throws(SystemCallError) -> ListeningSocket {
        var address = address
        SocketAddress.setPort(port, of: &address)
        let family = CInt(address.ss_family)
        let descriptor = try open(family)
        Socket.set(descriptor, level: SOL_SOCKET, option: SO_REUSEADDR, 1)
        if family == AF_INET6 {
            // "::" alone serves IPv4 too. Beside an IPv4 socket on the same port it must not.
            Socket.set(descriptor, level: CInt(IPPROTO_IPV6), option: IPV6_V6ONLY, isOnly ? 0 : 1)
        }
        try SocketAddress.withPointer(&address) { pointer, length throws(SystemCallError) in
            try check("bind", Glibc.bind(descriptor, pointer, length), descriptor)
        }
        try check("listen", listen(descriptor, backlog), descriptor)
        var bound = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = withUnsafeMutablePointer(to: &bound) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        try check("getsockname", code, descriptor)
        let place = BoundAddress(host: SocketAddress.host(of: bound), port: SocketAddress.port(of: bound))
        return ListeningSocket(descriptor: descriptor, address: place)
    }

    private static func bindUnix(_ path: String, backlog: CInt) throws(SystemCallError) -> ListeningSocket {
        var address = sockaddr_un()
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw SystemCallError(call: "bind", code: ENAMETOOLONG)
        }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let descriptor = try open(AF_UNIX)
        try withUnsafePointer(to: &address) { pointer throws(SystemCallError) in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer throws(SystemCallError) in
                let length = socklen_t(MemoryLayout<sockaddr_un>.size)
                // A killed process leaves its socket behind, and nobody serves it.
                if isStale(path, pointer, length) { unlink(path) }
                try check("bind", Glibc.bind(descriptor, pointer, length), descriptor)
            }
        }
        try check("listen", listen(descriptor, backlog), descriptor)
        return ListeningSocket(descriptor: descriptor, address: BoundAddress(host: path, port: 0), unixPath: path)
    }

    private static func isStale(_ path: String, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return false }
        let probe = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        guard probe >= 0 else { return false }
        defer { Socket.close(probe) }
        return connect(probe, address, length) != 0 && errno == ECONNREFUSED
    }

    private static func open(_ family: CInt) throws(SystemCallError) -> CInt {
        let type = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        let descriptor = socket(family, CInt(truncatingIfNeeded: type), 0)
        guard descriptor >= 0 else { throw SystemCallError(call: "socket", code: errno) }
        return descriptor
    }

    private static func check(_ call: String, _ result: CInt, _ descriptor: CInt) throws(SystemCallError) {
        guard result != 0 else { return }
        let code = errno
        Socket.close(descriptor)
        throw SystemCallError(call: call, code: code)
    }
}
