import Foundation
@testable import HTTP
import TestSupport
import Testing

/// The client of `GET /live` on a blocking socket, for use within ``onThread``.
///
/// `@unchecked Sendable`: a test passes it between threads and never uses it on two at once.
final class CameraClient: @unchecked Sendable {
    typealias Message = [String: any Sendable]

    let client: RawClient
    /// The head of the answer to the handshake.
    let head: String
    private var input: [UInt8]

    init(port: Int, query: String = "", headers: [(String, String)] = []) throws {
        client = try RawClient(port: port)
        var request = "GET /live?\(query) HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        request += "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        for (name, value) in headers { request += "\(name): \(value)\r\n" }
        try client.send(request + "\r\n")
        var input: [UInt8] = []
        while true {
            if let end = input.firstRange(of: Array("\r\n\r\n".utf8)) {
                head = String(decoding: input[..<end.lowerBound], as: UTF8.self)
                self.input = Array(input[end.upperBound...])
                return
            }
            let bytes = try client.receive()
            guard !bytes.isEmpty else { throw RawClient.Failure(description: "closed before an answer") }
            input += bytes
        }
    }

    var isOpen: Bool { head.hasPrefix("HTTP/1.1 101 ") }

    func send(frame: [UInt8]) throws { try send(.binary, frame) }

    func send(_ text: String) throws { try send(.text, Array(text.utf8)) }

    func send(_ opcode: WebSocketOpcode, _ payload: [UInt8]) throws {
        var bytes: [UInt8] = []
        WebSocketFrameEncoder.append(
            WebSocketFrameHeader(opcode: opcode, length: payload.count, mask: 0x1234_5678), payload, to: &bytes)
        try client.send(bytes)
    }

    /// The next message. Nil if the connection is closed.
    func receive() throws -> Message? {
        while true {
            while let (opcode, payload) = take() {
                switch opcode {
                case .text:
                    let object = try JSONSerialization.jsonObject(with: Data(payload))
                    return try #require(object as? Message, "\(String(decoding: payload, as: UTF8.self))")
                case .close:
                    closeCode = payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : 1005
                    return nil
                case .ping: try send(.pong, payload)
                default: break
                }
            }
            let bytes = try client.receive()
            guard !bytes.isEmpty else { return nil }
            input += bytes
        }
    }

    private(set) var closeCode: Int?

    /// The next message of a type. Other messages are skipped.
    func receive(_ type: String) throws -> Message {
        while let message = try receive() {
            if message["type"] as? String == type { return message }
        }
        throw RawClient.Failure(description: "closed before a message of type \(type)")
    }

    /// Sends a frame and waits for its answer.
    func look(at frame: [UInt8]) throws -> Message {
        try send(frame: frame)
        return try receive("answer")
    }

    private func take() -> (WebSocketOpcode, [UInt8])? {
        guard input.count >= 2, let opcode = WebSocketOpcode(rawValue: input[0] & 0x0F) else { return nil }
        var length = Int(input[1] & 0x7F)
        var start = 2
        if length >= 126 {
            start = length == 126 ? 4 : 10
            guard input.count >= start else { return nil }
            length = input[2..<start].reduce(0) { $0 << 8 | Int($1) }
        }
        guard input.count >= start + length else { return nil }
        let payload = Array(input[start..<(start + length)])
        input.removeFirst(start + length)
        return (opcode, payload)
    }
}
