/// The way to find the end of a response's body (RFC 9112 §6.3).
package enum ResponseFraming: Hashable, Sendable {
    /// No content and no Content-Length, as for 1xx, 204 and 304.
    case none
    /// A length in bytes.
    case length(Int)
    case chunked
    /// The body ends with the connection, because HTTP/1.0 clients do not understand chunks.
    case untilClose
}

/// Writes the heads of responses into one buffer. Each loop has one. It keeps the block of `Server` and `Date`, which
/// changes once a second.
package struct ResponseSerializer {
    private let serverName: String
    /// The fields that every response carries.
    private let fixedFields: HeaderFields
    /// The seconds of Strict-Transport-Security (RFC 6797 §6.1.1); nil leaves the field out.
    private let strictTransportMaxAge: Int?
    private var common = ByteBuffer(capacity: 256)
    private var second = -1

    package init(serverName: String, fixedFields: HeaderFields = [:], strictTransportMaxAge: Int? = nil) {
        self.serverName = serverName
        self.fixedFields = fixedFields
        self.strictTransportMaxAge = strictTransportMaxAge
    }

    /// A copy for an answer over plain HTTP.
    package func withoutStrictTransport() -> ResponseSerializer {
        ResponseSerializer(serverName: serverName, fixedFields: fixedFields)
    }

    /// Updates `Date` (RFC 9110 §6.6.1).
    /// - Parameter now: seconds since 1970.
    package mutating func update(now: Int) {
        if now == second { return }
        second = now
        common.clear()
        common.append("Server: ")
        common.append(serverName)
        for (name, value) in fixedFields { common.append("\r\n\(name): \(value)") }
        if let strictTransportMaxAge {
            common.append("\r\nStrict-Transport-Security: max-age=")
            common.append(strictTransportMaxAge)
        }
        common.append("\r\nDate: ")
        common.append(HTTPDate(secondsSinceEpoch: now).description)
        common.append("\r\nX-Request-Id: ")
    }

    /// - Parameter keepsAlive: false adds `Connection: close`.
    package func writeHead(
        _ response: Response, framing: ResponseFraming, keepsAlive: Bool, isVersion10: Bool, id: String,
        into buffer: ByteBuffer
    ) {
        writeStatusLine(response.status, into: buffer)
        buffer.append(common.readable)
        buffer.append(id)
        switch framing {
        case .none, .untilClose: buffer.append("\r\n")
        case .length(let length):
            buffer.append("\r\nContent-Length: ")
            buffer.append(length)
            buffer.append("\r\n")
        case .chunked: buffer.append("\r\nTransfer-Encoding: chunked\r\n")
        }
        if !keepsAlive {
            buffer.append("Connection: close\r\n")
        } else if isVersion10 {
            buffer.append("Connection: keep-alive\r\n")
        }
        // A sender of Upgrade has to send it as a connection option too (RFC 9110 §7.8).
        let isUpgrade = response.status == .switchingProtocols || response.status == .upgradeRequired
        writeFields(response.headers, isUpgrade: isUpgrade, into: buffer)
        buffer.append("\r\n")
    }

    private func writeStatusLine(_ status: Status, into buffer: ByteBuffer) {
        if status.code == 200 {
            buffer.append("HTTP/1.1 200 OK\r\n")
            return
        }
        buffer.append("HTTP/1.1 ")
        buffer.append(status.code)
        buffer.append(" ")
        buffer.append(status.reasonPhrase)
        buffer.append("\r\n")
    }

    private func writeFields(_ fields: HeaderFields, isUpgrade: Bool, into buffer: ByteBuffer) {
        fields.bytes.withUnsafeBytes { bytes in
            for line in fields.lines {
                let nameStart = Int(line.nameStart)
                let name = UnsafeRawBufferPointer(rebasing: bytes[nameStart..<nameStart + Int(line.nameLength)])
                if isOurs(name), !(isUpgrade && name.equals("connection")) { continue }
                let valueStart = Int(line.valueStart)
                buffer.append(name)
                buffer.append(": ")
                buffer.append(
                    UnsafeRawBufferPointer(rebasing: bytes[valueStart..<valueStart + Int(line.valueLength)]))
                buffer.append("\r\n")
            }
        }
    }

    /// Whether the server writes the field itself. The handler's field would contradict it.
    private func isOurs(_ name: UnsafeRawBufferPointer) -> Bool {
        switch name.count {
        case 4: name.equals("date")
        case 6: name.equals("server")
        case 10: name.equals("connection")
        case 12: name.equals("x-request-id")
        case 14: name.equals("content-length")
        case 17: name.equals("transfer-encoding")
        case 25: strictTransportMaxAge != nil && name.equals("strict-transport-security")
        default: false
        }
    }
}
