import Foundation
import Glibc
import TestSupport

/// A network camera that sends a film once, to one client, in real time, by RTSP 1.0 (RFC 2326) with interleaved
/// packets. FFmpeg makes the packets (RTP, RFC 6184).
final class NetworkCamera: Sendable {
    let address: String
    private let film: URL
    private let (listener, packets): (CInt, CInt)

    init(showing film: URL) throws {
        self.film = film
        (listener, packets) = (try Self.bound(SOCK_STREAM), try Self.bound(SOCK_DGRAM))
        listen(listener, 1)
        address = "rtsp://127.0.0.1:\(try Self.port(of: listener))/film"
        Thread.detachNewThread { [self] in serve() }
    }

    deinit {
        close(listener)
        close(packets)
    }

    private func serve() {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        defer { close(client) }
        var (buffer, text) = ([UInt8](repeating: 0, count: 4_096), "")
        while true {
            let count = recv(client, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            text += String(decoding: buffer[..<count], as: UTF8.self)
            while let end = text.range(of: "\r\n\r\n") {
                let request = String(text[..<end.lowerBound])
                text.removeSubrange(..<end.upperBound)
                send(answer(to: request), to: client)
                if request.hasPrefix("PLAY") {
                    show(to: client)
                    return
                }
            }
        }
    }

    private func answer(to request: String) -> [UInt8] {
        let number = request.split(separator: "\r\n").first { $0.hasPrefix("CSeq") } ?? ""
        var (fields, body) = ([String(number), "Session: 1"], "")
        switch request.prefix(while: { $0 != " " }) {
        case "OPTIONS": fields.append("Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN")
        case "DESCRIBE":
            body =
                [
                    "v=0", "o=- 0 0 IN IP4 127.0.0.1", "s=film", "c=IN IP4 127.0.0.1", "t=0 0", "m=video 0 RTP/AVP 96",
                    "a=rtpmap:96 H264/90000", "a=fmtp:96 packetization-mode=1", "a=control:video",
                ].joined(separator: "\r\n") + "\r\n"
            fields += [
                "Content-Type: application/sdp", "Content-Base: \(address)/", "Content-Length: \(body.utf8.count)",
            ]
        case "SETUP": fields.append("Transport: RTP/AVP/TCP;unicast;interleaved=0-1")
        default: break
        }
        return Array("RTSP/1.0 200 OK\r\n\(fields.joined(separator: "\r\n"))\r\n\r\n\(body)".utf8)
    }

    /// Forwards packets until there are no more or the client is gone.
    private func show(to client: CInt) {
        guard
            let player = try? FilmMaker.start([
                "-re", "-i", film.path, "-an", "-c:v", "libx264", "-tune", "zerolatency", "-g", "10", "-f", "rtp",
                "rtp://127.0.0.1:\((try? Self.port(of: packets)) ?? 0)?pkt_size=1200",
            ])
        else { return }
        defer { player.terminate() }
        var packet = [UInt8](repeating: 0, count: 2_048)
        while true {
            let count = recv(packets, &packet, packet.count, 0)
            guard count > 0 else { return }
            let head: [UInt8] = [UInt8(ascii: "$"), 0, UInt8(count >> 8), UInt8(count & 255)]
            guard send(head + packet[..<count], to: client) else { return }
        }
    }

    @discardableResult private func send(_ bytes: [UInt8], to client: CInt) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(client, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// A local socket on a free port, with a timeout of some seconds.
    private static func bound(_ kind: __socket_type) throws -> CInt {
        let descriptor = socket(AF_INET, CInt(kind.rawValue), 0)
        var patience = timeval(tv_sec: kind == SOCK_STREAM ? 60 : 3, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard descriptor >= 0, status == 0 else { throw POSIXError(.EADDRINUSE) }
        return descriptor
    }

    private static func port(of descriptor: CInt) throws -> UInt16 {
        var (place, size) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
        let status = withUnsafeMutablePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        guard status == 0 else { throw POSIXError(.EBADF) }
        return UInt16(bigEndian: place.sin_port)
    }
}
