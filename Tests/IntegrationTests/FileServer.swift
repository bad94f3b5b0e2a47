import Base
import Foundation
import Glibc
import TestSupport

/// Serves one file with ranges and an entity tag, and can break off early.
final class FileServer: Sendable {
    struct Behaviour: Sendable {
        var file: [UInt8]
        var tag = "\"1\""
        /// The number of body bytes after which each successive answer breaks off.
        var breaks: [Int] = []
        /// Replaces the file's answer if set.
        var status: Int?
        /// Redirects every request to this address if set.
        var location: String?
    }

    struct Seen: Sendable, Equatable {
        let range: String?
        let condition: String?
    }

    let port: Int
    private let listener: CInt
    private let behaviour: Locked<Behaviour>
    private let requests = Locked<[Seen]>([])
    private let hostFields = Locked<[String?]>([])

    init(_ behaviour: Behaviour) throws {
        self.behaviour = Locked(behaviour)
        listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 8) == 0 ? getsockname(listener, $0, &length) : -1
            }
        }
        guard code == 0 else { throw RawClient.Failure(description: "bind: errno \(errno)") }
        port = Int(in_port_t(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                answer(connection)
                close(connection)
            }
        }
    }

    var seen: [Seen] { requests.withLock { $0 } }

    /// The `Host` fields of the requests.
    var hosts: [String?] { hostFields.withLock { $0 } }

    func change(_ body: @Sendable (inout Behaviour) -> Void) { behaviour.withLock { body(&$0) } }

    func stop() {
        shutdown(listener, CInt(SHUT_RDWR))
        close(listener)
    }

    private func answer(_ connection: CInt) {
        var head: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while head.firstRange(of: Array("\r\n\r\n".utf8)) == nil {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            head += buffer[..<count]
        }
        let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
        func field(_ name: String) -> String? {
            lines.first { $0.lowercased().hasPrefix(name + ":") }
                .map { String($0.dropFirst(name.count + 1)).trimmingCharacters(in: .whitespaces) }
        }
        let asked = Seen(range: field("range"), condition: field("if-range"))
        hostFields.withLock { $0.append(field("host")) }
        requests.withLock { $0.append(asked) }
        let (now, end) = behaviour.withLock { behaviour in
            (behaviour, behaviour.breaks.isEmpty ? nil : behaviour.breaks.removeFirst())
        }
        if let location = now.location {
            write(
                connection,
                Array(
                    "HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8
                ))
            return
        }
        if let status = now.status {
            write(connection, Array("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8))
            return
        }
        let start = asked.condition == now.tag ? asked.range.flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0 : 0
        let rest = now.file[start...]
        var text = start > 0 ? "HTTP/1.1 206 Partial Content\r\n" : "HTTP/1.1 200 OK\r\n"
        if start > 0 { text += "Content-Range: bytes \(start)-\(now.file.count - 1)/\(now.file.count)\r\n" }
        text += "Content-Length: \(rest.count)\r\nETag: \(now.tag)\r\nConnection: close\r\n\r\n"
        write(connection, Array(text.utf8) + rest.prefix(end ?? rest.count))
    }

    private func write(_ connection: CInt, _ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(connection, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
        // Reads the rest of the request, since unread bytes would make the close a reset.
        shutdown(connection, CInt(SHUT_WR))
        var rest = [UInt8](repeating: 0, count: 4096)
        while recv(connection, &rest, rest.count, 0) > 0 {}
    }
}
