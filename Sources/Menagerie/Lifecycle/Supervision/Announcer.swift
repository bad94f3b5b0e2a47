import Foundation

/// Tells those who wait for the service that it answers, and that it stops: systemd, `serve --detach` and
/// `menagerie status`.
struct Announcer: Sendable {
    /// nil where another process serves the same data directory, as replicas do that share it.
    let file: PIDFile?
    /// Where `serve --detach` listens for the addresses; nil where nobody does.
    let starter: CInt?

    /// Begins the addresses; no text that the service prints has it.
    static let mark: UInt8 = 0

    func ready(at urls: [String]) {
        file?.write(urls: urls, log: Self.logFile)
        SystemdNotification.send("READY=1\nSTATUS=Serving \(urls.joined(separator: " "))")
        guard let starter else { return }
        let text = [Self.mark] + Array((urls.joined(separator: " ") + "\n").utf8)
        // Who started the service may have been interrupted meanwhile; that is no reason to stop.
        _ = text.withUnsafeBytes { send(starter, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
        // The end of the line for standard output as well: from here on it goes where the log goes.
        fflush(nil)
        dup2(2, 1)
        close(starter)
    }

    func stopping() {
        SystemdNotification.send("STOPPING=1")
    }

    func stopped() { file?.clear() }

    /// The file that standard error goes to.
    private static var logFile: String? {
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/2")
        return target.flatMap { $0.hasPrefix("/") && !$0.hasPrefix("/dev/") ? $0 : nil }
    }
}

/// The protocol by which a service tells systemd how it is (sd_notify(3)).
enum SystemdNotification {
    /// Sends a state such as `READY=1`; does nothing where no service manager listens.
    ///
    /// - Parameter path: that of the manager's socket; an abstract one begins with `@`.
    static func send(_ state: String, to path: String? = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"]) {
        guard let path, path.hasPrefix("/") || path.hasPrefix("@") else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        if name[0] == UInt8(ascii: "@") { name[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let socket = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return }
        defer { close(socket) }
        // An abstract name ends with the address, any other with its zero.
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count + (name[0] == 0 ? 0 : 1))
        let bytes = Array(state.utf8)
        _ = withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bytes.withUnsafeBytes {
                    sendto(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL), address, length)
                }
            }
        }
    }
}
