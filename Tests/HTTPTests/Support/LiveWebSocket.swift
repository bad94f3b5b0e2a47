@testable import HTTP
import TestSupport

/// The client's side of a WebSocket on a blocking socket, for use within ``onThread``.
///
/// `@unchecked Sendable`: a test passes it between threads and never uses it on two at once.
final class LiveWebSocket: @unchecked Sendable {
    struct Frame: Equatable {
        var opcode: WebSocketOpcode
        var payload: [UInt8]

        var text: String { String(decoding: payload, as: UTF8.self) }
        /// The code of a close frame.
        var closeCode: Int? { payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : nil }
    }

    static let handshake =
        "GET /socket HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

    let client: RawClient
    private(set) var head = ""
    private var input: [UInt8] = []

    /// - Parameter first: bytes that are sent together with the handshake.
    init(port: Int, first: [UInt8] = []) throws {
        client = try RawClient(port: port)
        try client.send(Array(Self.handshake.utf8) + first)
        while true {
            if let end = input.firstRange(of: Array("\r\n\r\n".utf8)) {
                head = String(decoding: input[..<end.lowerBound], as: UTF8.self)
                input = Array(input[end.upperBound...])
                return
            }
            try fill()
        }
    }

    static func frame(_ opcode: WebSocketOpcode, _ payload: [UInt8] = []) -> [UInt8] {
        var bytes: [UInt8] = []
        WebSocketFrameEncoder.append(
            WebSocketFrameHeader(opcode: opcode, length: payload.count, mask: 0x1234_5678), payload, to: &bytes)
        return bytes
    }

    func send(_ opcode: WebSocketOpcode, _ payload: [UInt8] = []) throws {
        try client.send(Self.frame(opcode, payload))
    }

    func send(_ text: String) throws {
        try send(.text, Array(text.utf8))
    }

    /// The next frame. Nil at the end of the stream.
    func receive() throws -> Frame? {
        while true {
            if let frame = take() { return frame }
            let bytes = try client.receive()
            if bytes.isEmpty { return nil }
            input += bytes
        }
    }

    private func fill() throws {
        let bytes = try client.receive()
        guard !bytes.isEmpty else {
            throw RawClient.Failure(description: "closed: \(String(decoding: input, as: UTF8.self))")
        }
        input += bytes
    }

    private func take() -> Frame? {
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
        return Frame(opcode: opcode, payload: payload)
    }
}
