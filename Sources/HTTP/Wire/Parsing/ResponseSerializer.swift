/// How the end of a response's body is found (RFC 9112 §6.3).
package enum ResponseFraming: Hashable, Sendable {
    /// No content and no Content-Length: 1xx, 204, 304.
    case none
    /// In bytes.
    case length(Int)
    case chunked
    /// HTTP/1.0 clients know no chunks.
    case untilClose
}

/// Writes the heads of responses into one buffer. One per loop: it keeps the block of `Server` and `Date`, which changes
/// once a second.
package struct ResponseSerializer {
    private let serverName: String
    /// What every response carries.
    private let fixedFields: HeaderFields
    /// Seconds (RFC 6797 §6.1.1); nil leaves Strict-Transport-Security out.
    private let strictTransportMaxAge: Int?
    private var common = ByteBuffer(capacity: 256)
    private var second = -1

    package init(serverName: String, fixedFields: HeaderFields = [:], strictTransportMaxAge: Int? = nil) {
        self.serverName = serverName
        self.fixedFields = fixedFields
        self.strictTransportMaxAge = strictTransportMaxAge
    }

    /// Another one, for an answer in plain text.
    package func withoutStrictTransport() -> ResponseSerializer {
        ResponseSerializer(serverName: serverName, fixedFields: fixedFields)
    }

    /// Brings `Date` up to date (RFC 9110 §6.6.1).
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
        writeFields(response.headers, isUpgrade: response.status == .switchingProtocols, into: buffer)
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

    /// Fields that the server writes itself; a handler's would contradict them.
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
