import Base

/// The server's side of a WebSocket after its handshake (RFC 6455), without I/O: bytes go in, and events and bytes come
/// out. It answers pings and closes by itself. Only one thread may use it at a time.
package final class WebSocketSession {
    package enum Event: Hashable, Sendable {
        case message(WebSocketMessage)
        case pong([UInt8])
        /// The client closed, or answered our close. Nothing more will come.
        /// - code: nil when the close frame had no code (1005).
        case closed(code: WebSocketCloseCode?, reason: String)
        /// The client broke the protocol and was told so. Nothing more will come.
        case failed(WebSocketError)
    }

    private enum State {
        case open
        /// The client's close frame has come and is not answered yet. Messages can still be sent (§5.5.1).
        case answering
        /// Our close frame is out, and the client's is awaited.
        case closing
        /// Nothing more is read or written.
        case over
    }

    /// A message that arrives in fragments.
    private struct Incoming {
        let isText: Bool
        let isCompressed: Bool
        /// Whether any payload has come.
        var hasPayload = false
        var bytes: [UInt8] = []
        var validator = UTF8Validator()
    }

    private let limits: WebSocketLimits
    private let compressor: WebSocketCompressor?
    private var decoder: WebSocketFrameDecoder
    private var state = State.open
    private var frame: WebSocketFrameHeader?
    private var incoming: Incoming?
    private var control: [UInt8] = []
    private var output: [UInt8] = []
    /// Whether only ``close(_:reason:)`` answers a close, so that earlier messages can still be answered.
    private let defersClose: Bool
    /// The payload of the close frame that answers the client's.
    private var closeAnswer: [UInt8] = []

    package init(
        deflate: WebSocketDeflate? = nil, limits: WebSocketLimits = WebSocketLimits(), defersClose: Bool = false
    ) {
        self.limits = limits
        self.defersClose = defersClose
        compressor = deflate.map(WebSocketCompressor.init)
        // Packing makes incompressible content larger, by a few bytes per block.
        let maximum = limits.messageBytes + (deflate == nil ? 0 : limits.messageBytes / 1000 + 64)
        decoder = WebSocketFrameDecoder(allowsCompression: deflate != nil, maximumLength: max(125, maximum))
    }

    /// Whether the transport should close once the output is written.
    package var isOver: Bool { state == .over }

    /// Whether messages can still be sent.
    package var isOpen: Bool { state == .open || state == .answering }

    /// Whether the client has closed and waits for ``close(_:reason:)``.
    var isAnswering: Bool { state == .answering }

    /// Takes the bytes to write out of the session.
    package func takeOutput() -> [UInt8] { exchange(&output, with: []) }

    // MARK: From the client

    /// Reads bytes of the client. After `closed` or `failed` it ignores the rest.
    /// - Parameters:
    ///   - input: loses the bytes that were read.
    ///   - handle: gets each event before the next bytes are read, so that an answer to it goes out before the answer
    ///   to a later close or error. It returns false to leave the rest for later.
    package func receive(_ input: inout ArraySlice<UInt8>, _ handle: (Event) -> Bool) {
        do throws(WebSocketError) {
            while state != .over, state != .answering, let event = try decoder.next(&input) {
                switch event {
                case .header(let header): try begin(header)
                case .payload(let payload): try take(payload)
                case .end: if let event = try end(), !handle(event) { return }
                }
            }
        } catch {
            _ = handle(fail(error))
        }
    }

    private func begin(_ header: WebSocketFrameHeader) throws(WebSocketError) {
        frame = header
        switch header.opcode {
        case .close, .ping, .pong:
            control.removeAll(keepingCapacity: true)
            return
        case .continuation:
            guard incoming != nil else {
                throw WebSocketError(.protocolError, "A continuation frame continues no message.")
            }
        case .text, .binary:
            guard incoming == nil else {
                throw WebSocketError(.protocolError, "A message begins before the one before has ended.")
            }
            incoming = Incoming(isText: header.opcode == .text, isCompressed: header.isCompressed)
        }
        if let incoming, !incoming.isCompressed, incoming.bytes.count + header.length > limits.messageBytes {
            throw tooLarge
        }
    }

    private func take(_ payload: [UInt8]) throws(WebSocketError) {
        guard frame?.opcode.isControl == false else {
            control += payload
            return
        }
        guard incoming != nil else { return }
        incoming?.hasPayload = true
        if incoming?.isCompressed == true {
            try decompress { compressor, bytes, limit throws(Inflater.Failure) in
                try compressor.decompress(payload, into: &bytes, limit: limit)
            }
        } else {
            try check(payload)
            if incoming?.bytes.isEmpty == true {
                incoming?.bytes = payload
            } else {
                incoming?.bytes += payload
            }
        }
    }

    private func end() throws(WebSocketError) -> Event? {
        guard let frame else { return nil }
        self.frame = nil
        switch frame.opcode {
        case .ping:
            // After our close frame nothing may follow (§5.5.1).
            if state == .open { output += WebSocketFrameEncoder.frame(.pong, control) }
            return nil
        case .pong: return .pong(control)
        case .close: return try closed()
        case .text, .binary, .continuation: return frame.isFinal ? try endMessage() : nil
        }
    }

    private func endMessage() throws(WebSocketError) -> Event? {
        // A message without payload has no block, and so no omitted end.
        if incoming?.isCompressed == true, incoming?.hasPayload == true {
            try decompress { compressor, bytes, limit throws(Inflater.Failure) in
                try compressor.finishMessage(into: &bytes, limit: limit)
            }
        }
        guard let message = incoming else { return nil }
        incoming = nil
        guard message.validator.isAtBoundary else {
            throw WebSocketError(.invalidPayload, "A text ends within a character.")
        }
        if state == .closing { return nil }
        return .message(message.isText ? .text(String(decoding: message.bytes, as: UTF8.self)) : .binary(message.bytes))
    }

    /// Unpacks into the message and checks what was added.
    private func decompress(
        _ work: (WebSocketCompressor, inout [UInt8], Int) throws(Inflater.Failure) -> Void
    ) throws(WebSocketError) {
        guard let compressor, var message = incoming?.bytes else { return }
        // The array must not be shared while it grows.
        incoming?.bytes = []
        let before = message.count
        do throws(Inflater.Failure) {
            try work(compressor, &message, limits.messageBytes)
        } catch {
            switch error {
            case .tooLarge: throw tooLarge
            case .corrupt: throw WebSocketError(.invalidPayload, "A compressed message is not deflate data.")
            case .unavailable: throw WebSocketError(.internalError, "There is no memory to unpack a message.")
            }
        }
        if incoming?.isText == true { try check(Array(message[before...])) }
        incoming?.bytes = message
    }

    private func check(_ text: [UInt8]) throws(WebSocketError) {
        guard incoming?.isText == true, incoming?.validator.check(text) == false else { return }
        throw WebSocketError(.invalidPayload, "A text is not UTF-8.")
    }

    private var tooLarge: WebSocketError {
        WebSocketError(.messageTooBig, "A message is larger than the \(limits.messageBytes) bytes allowed here.")
    }

    private func closed() throws(WebSocketError) -> Event {
        var code: WebSocketCloseCode?
        if !control.isEmpty {
            guard control.count >= 2 else { throw WebSocketError(.protocolError, "A close code has two bytes.") }
            let received = WebSocketCloseCode(rawValue: UInt16(control[0]) << 8 | UInt16(control[1]))
            guard received.isSendable else {
                throw WebSocketError(.protocolError, "Close code \(received.rawValue) must not be sent.")
            }
            code = received
        }
        guard let reason = String(validating: control.dropFirst(2), as: UTF8.self) else {
            throw WebSocketError(.invalidPayload, "A close reason is not UTF-8.")
        }
        if state == .open {
            closeAnswer = Array(control.prefix(2))
            state = .answering
            if !defersClose { answerClose() }
        } else {
            state = .over
        }
        return .closed(code: code, reason: reason)
    }

    private func answerClose() {
        output += WebSocketFrameEncoder.frame(.close, closeAnswer)
        state = .over
    }

    private func fail(_ error: WebSocketError) -> Event {
        if state == .open {
            let payload = WebSocketFrameEncoder.closePayload(error.code, reason: error.reason)
            output += WebSocketFrameEncoder.frame(.close, payload)
        }
        state = .over
        incoming = nil
        return .failed(error)
    }

    // MARK: To the client

    /// - Returns: false when the session is closing. The message is dropped then.
    @discardableResult package func send(_ message: WebSocketMessage) -> Bool {
        guard isOpen else { return false }
        let (opcode, payload): (WebSocketOpcode, [UInt8]) =
            switch message {
            case .text(let text): (.text, Array(text.utf8))
            case .binary(let bytes): (.binary, bytes)
            }
        if let compressor, payload.count >= limits.compressionBytes, let packed = compressor.compress(payload) {
            output += WebSocketFrameEncoder.frame(opcode, packed, isCompressed: true)
        } else {
            output += WebSocketFrameEncoder.frame(opcode, payload)
        }
        return true
    }

    /// - Parameter payload: at most 125 bytes; the rest is cut off.
    package func ping(_ payload: [UInt8] = []) {
        if isOpen { output += WebSocketFrameEncoder.frame(.ping, payload.prefix(125)) }
    }

    /// Answers the client's close with its own code, or begins the closing handshake. In the second case
    /// ``Event/closed(code:reason:)`` follows when the client answers.
    package func close(_ code: WebSocketCloseCode = .normal, reason: String = "") {
        if state == .answering { answerClose() }
        guard state == .open else { return }
        output += WebSocketFrameEncoder.frame(.close, WebSocketFrameEncoder.closePayload(code, reason: reason))
        state = .closing
    }
}
