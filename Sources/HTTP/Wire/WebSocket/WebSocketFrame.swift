/// The type of a frame (RFC 6455 §5.2, §11.8).
package enum WebSocketOpcode: UInt8, Sendable {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    package var isControl: Bool { rawValue >= 0x8 }
}

/// The first bytes of a frame, up to the payload (RFC 6455 §5.2).
package struct WebSocketFrameHeader: Hashable, Sendable {
    package var isFinal = true
    /// RSV1, which marks a compressed message (RFC 7692 §6).
    package var isCompressed = false
    package var opcode: WebSocketOpcode
    /// The length of the payload, in bytes.
    package var length: Int
    /// The masking key. Its first byte is the lowest.
    package var mask: UInt32?
}

/// A complete message from the client.
package enum WebSocketMessage: Hashable, Sendable {
    case text(String)
    case binary([UInt8])
}

extension WebSocketMessage: QueuedInput {
    /// The bytes of the payload and of the message's own memory.
    var queuedBytes: Int {
        switch self {
        case .text(let text): text.utf8.count + 64
        case .binary(let bytes): bytes.count + 64
        }
    }
}

/// The reason for closing a connection (RFC 6455 §7.4).
package struct WebSocketCloseCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    package static let normal = Self(rawValue: 1000)
    /// The server stops, or the user left the page.
    package static let goingAway = Self(rawValue: 1001)
    package static let protocolError = Self(rawValue: 1002)
    /// A text is not UTF-8.
    package static let invalidPayload = Self(rawValue: 1007)
    package static let policyViolation = Self(rawValue: 1008)
    package static let messageTooBig = Self(rawValue: 1009)
    package static let internalError = Self(rawValue: 1011)

    /// Whether the code may stand in a close frame. That is 1000 to 1014 without those reserved for use within a
    /// program, and 3000 to 4999 for applications (§7.4.2 and the IANA registry).
    package var isSendable: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

/// A breach of the protocol by a client, with the close code and reason that the client gets.
package struct WebSocketError: Error, Hashable, CustomStringConvertible {
    package let code: WebSocketCloseCode
    /// At most 123 bytes, so that it fits into a close frame.
    package let reason: String

    package init(_ code: WebSocketCloseCode, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    package var description: String { "\(code.rawValue): \(reason)" }
}
