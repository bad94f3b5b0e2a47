import Foundation
import Glibc

/// A client that sends and receives raw bytes on blocking sockets, for use within ``onThread``.
///
/// `@unchecked Sendable`: a test passes it between threads and never uses it on two at once.
package final class RawClient: @unchecked Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) {
            self.description = description
        }
    }

    package let descriptor: CInt
    private var isOpen = true

    package init(port: Int, host: String = "127.0.0.1") throws {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        inet_pton(AF_INET, host, &address.sin_addr)
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw Failure(description: "connect: errno \(errno)") }
        prepare()
    }

    package init(unixPath: String) throws {
        descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(unixPath.utf8)) }
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0 else { throw Failure(description: "connect: errno \(errno)") }
        prepare()
    }

    deinit {
        if isOpen { _ = Glibc.close(descriptor) }
    }

    /// A timeout against hanging tests, far above the time of any answer.
    private func prepare() {
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    package func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    package func send(_ bytes: [UInt8]) throws {
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(description: "send: errno \(errno)") }
            offset += count
        }
    }

    /// Up to `limit` bytes. Empty at the end of the stream.
    package func receive(_ limit: Int = 65536) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = recv(descriptor, &buffer, limit, 0)
        guard count >= 0 else { throw Failure(description: "recv: errno \(errno)") }
        return Array(buffer[..<count])
    }

    /// Sends a byte every few milliseconds until the server answers or closes.
    package func drip(_ byte: UInt8, milliseconds: Int32) throws {
        var answer = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&answer, 1, milliseconds) == 0 {
            do { try send([byte]) } catch { return }
        }
    }

    package func receiveAll() throws -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let bytes = try receive()
            if bytes.isEmpty { return all }
            all += bytes
        }
    }

    /// Reads until this many complete final responses have arrived.
    package func responses(_ count: Int, toHead: Bool = false) throws -> [RawResponse] {
        var all: [UInt8] = []
        while true {
            let found = RawResponse.parse(all, toHead: toHead).filter { $0.status >= 200 }
            if found.count >= count { return found }
            let bytes = try receive()
            guard !bytes.isEmpty else {
                throw Failure(
                    description: "closed after \(found.count) responses: \(String(decoding: all, as: UTF8.self))")
            }
            all += bytes
        }
    }

    package func shutdownWriting() {
        Glibc.shutdown(descriptor, CInt(SHUT_WR))
    }

    package func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    package func close() {
        if isOpen { _ = Glibc.close(descriptor) }
        isOpen = false
    }
}

package struct RawResponse: Equatable {
    package var status: Int
    /// By lower-case names.
    package var headers: [String: String]
    package var body: [UInt8]

    package var text: String { String(decoding: body, as: UTF8.self) }

    package static func parse(_ bytes: [UInt8], toHead: Bool = false) -> [RawResponse] {
        var responses: [RawResponse] = []
        var rest = bytes[...]
        while let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) {
            let lines = String(decoding: rest[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
            let words = lines[0].split(separator: " ")
            guard words.count >= 2, let status = Int(words[1]) else { return responses }
            var headers: [String: String] = [:]
            for line in lines.dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1)
                headers[parts[0].lowercased()] = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
            }
            rest = rest[end.upperBound...]
            var body: [UInt8] = []
            let hasBody = !toHead && status >= 200 && status != 204 && status != 304
            if hasBody, headers["transfer-encoding"] == "chunked" {
                guard let decoded = dechunk(&rest) else { return responses }
                body = decoded
            } else if hasBody, let length = headers["content-length"].flatMap(Int.init) {
                guard rest.count >= length else { return responses }
                body = Array(rest.prefix(length))
                rest = rest.dropFirst(length)
            }
            responses.append(RawResponse(status: status, headers: headers, body: body))
        }
        return responses
    }

    private static func dechunk(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        var body: [UInt8] = []
        var input = rest
        while let end = input.firstRange(of: Array("\r\n".utf8)) {
            guard let size = Int(String(decoding: input[..<end.lowerBound], as: UTF8.self), radix: 16) else {
                return nil
            }
            input = input[end.upperBound...]
            guard input.count >= size + 2 else { return nil }
            body += input.prefix(size)
            input = input.dropFirst(size + 2)
            if size == 0 {
                rest = input
                return body
            }
        }
        return nil
    }
}
