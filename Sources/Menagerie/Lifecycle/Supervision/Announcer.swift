import Base
import Foundation

/// Announces that the service is ready or stopping, to systemd, `serve --detach` and `menagerie status`.
struct Announcer: Sendable {
    /// Nil if a replica already serves the same data directory.
    let file: PIDFile?
    /// The descriptor on which `serve --detach` waits for the addresses. Nil without `--detach`.
    let starter: CInt?

    /// Marks the beginning of the addresses. No text that the service prints contains it.
    static let mark: UInt8 = 0

    func ready(at urls: [String]) {
        file?.write(urls: urls, log: Self.logFile)
        SystemdNotification.send("READY=1\nSTATUS=Serving \(urls.joined(separator: " "))")
        guard let starter else { return }
        let text = [Self.mark] + Array((urls.joined(separator: " ") + "\n").utf8)
        // The starting process may have ended. That is no reason to stop.
        _ = text.withUnsafeBytes { send(starter, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
        // Standard output loses its reader, so from here on it goes to the log.
        fflush(nil)
        dup2(2, 1)
        close(starter)
        guard let log = Self.logFile else { return }
        Thread.detachNewThread {
            while true {
                sleep(60)
                StateLog.renew(log)
            }
        }
    }

    func stopping() {
        SystemdNotification.send("STOPPING=1")
    }

    func stopped() { file?.clear() }

    private static var logFile: String? {
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/2")
        return target.flatMap { $0.hasPrefix("/") && !FileSystem.isDevice($0) ? $0 : nil }
    }
}

/// The protocol by which a service reports its state to systemd (sd_notify(3)).
enum SystemdNotification {
    /// Sends a state such as `READY=1`. Does nothing if no service manager listens.
    ///
    /// - Parameter path: the manager's socket. An abstract one begins with `@`.
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
        // An abstract name ends with the address. Any other name ends with a zero.
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
