import Foundation
import Glibc

/// A server that records requests and answers as the test says.
package final class HTTPReceiver: @unchecked Sendable {
    package struct Request: Sendable {
        package let method: String
        package let target: String
        /// By lower-case names.
        package let headers: [String: String]
        package let body: [UInt8]
    }

    /// Makes the answer. Nil sends nothing and leaves the connection open.
    package typealias Answer = @Sendable (Request) -> (status: Int, headers: String, body: [UInt8])?

    package let port: Int
    private let socket: Int32
    private let answer: Answer
    private let pause: Double?
    private let lock = NSLock()
    /// Protected by the lock.
    private var collected: [Request] = []
    private var open: [Int32] = []

    /// - Parameter pause: the seconds before each byte of a body. Nil sends the answer at once.
    package init(pause: Double? = nil, _ answer: @escaping Answer = { _ in (200, "", []) }) throws {
        self.answer = answer
        self.pause = pause
        port = try MQTTBroker.freePort()
        socket = try ListeningSocket.open(port: port)
        let listening = socket
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(listening, nil, nil)
                guard connection >= 0 else { return }
                Thread.detachNewThread { [weak self] in self?.serve(connection) }
            }
        }
    }

    deinit {
        shutdown(socket, Int32(SHUT_RDWR))
        close(socket)
        for connection in open { close(connection) }
    }

    package var requests: [Request] { lock.withLock { collected } }

    private func serve(_ connection: Int32) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            guard let (request, rest) = Self.parse(bytes) else {
                let count = recv(connection, &buffer, buffer.count, 0)
                guard count > 0 else {
                    close(connection)
                    return
                }
                bytes += buffer[..<count]
                continue
            }
            bytes = rest
            lock.withLock { collected.append(request) }
            guard let (status, headers, body) = answer(request) else {
                lock.withLock { open.append(connection) }
                return
            }
            let text = "HTTP/1.1 \(status) X\r\nContent-Length: \(body.count)\r\n\(headers)\r\n"
            let pieces = pause == nil ? [Array(text.utf8) + body] : [Array(text.utf8)] + body.map { [$0] }
            for piece in pieces where send(connection, piece, piece.count, Int32(MSG_NOSIGNAL)) == piece.count {
                if let pause { Thread.sleep(forTimeInterval: pause) }
            }
        }
    }

    /// A complete request and the bytes after it. Nil while bytes are missing.
    private static func parse(_ bytes: [UInt8]) -> (Request, [UInt8])? {
        guard let end = bytes.indices.first(where: { bytes[$0...].starts(with: [13, 10, 13, 10]) }) else { return nil }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
        }
        let length = Int(headers["content-length"] ?? "0") ?? 0
        let start = end + 4
        guard bytes.count >= start + length, words.count > 1 else { return nil }
        let request = Request(
            method: String(words[0]), target: String(words[1]), headers: headers,
            body: Array(bytes[start..<start + length]))
        return (request, Array(bytes[(start + length)...]))
    }
}

package enum ListeningSocket {
    /// - Returns: a descriptor that accepts connections on 127.0.0.1.
    package static func open(port: Int) throws -> Int32 {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var one: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &one, 4)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        address.sin_port = in_port_t(port).bigEndian
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isBound, listen(socket, 16) == 0 else { throw MQTTBroker.Obstacle(reason: "no port to listen on") }
        return socket
    }
}
