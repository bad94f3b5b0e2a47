/// One event of a `text/event-stream` (WHATWG HTML §9.2).
package struct ServerSentEvent: Hashable, Sendable {
    /// The value that the client sends as Last-Event-ID when it comes back.
    package var id: String?
    /// The name that listeners wait for; nil means `message`.
    package var event: String?
    /// Any text, with line ends. nil makes a block that dispatches nothing but may set `id`.
    package var data: String?

    package init(id: String? = nil, event: String? = nil, data: String? = nil) {
        self.id = id
        self.event = event
        self.data = data
    }

    /// The block in UTF-8, with the empty line that ends it. Line ends in `id` and `event` become spaces. So does NUL
    /// in `id`, because clients ignore an id that contains it.
    package func serialized() -> [UInt8] {
        var bytes: [UInt8] = []
        if let id { Self.field("id", Self.oneLine(id), &bytes) }
        if let event { Self.field("event", Self.oneLine(event), &bytes) }
        if let data { for line in Self.lines(data) { Self.field("data", line, &bytes) } }
        bytes.append(0x0A)
        return bytes
    }

    /// The fields of a response that sends events.
    package static let headers: HeaderFields = [
        "Content-Type": MediaType.eventStream.description, "Cache-Control": "no-store",
        // Some reverse proxies collect a response unless told not to.
        "X-Accel-Buffering": "no",
    ]

    /// A comment, which clients ignore. It keeps intermediaries from closing an idle connection.
    package static let comment = Array(":\n\n".utf8)

    private static func field(_ name: String, _ value: some Collection<UInt8>, _ bytes: inout [UInt8]) {
        bytes.append(contentsOf: name.utf8)
        bytes.append(UInt8(ascii: ":"))
        // Clients remove one space. Without it, a value that begins with a space would lose that.
        if !value.isEmpty { bytes.append(0x20) }
        bytes.append(contentsOf: value)
        bytes.append(0x0A)
    }

    private static func oneLine(_ text: String) -> [UInt8] {
        text.utf8.map { $0 == 0x0A || $0 == 0x0D || $0 == 0 ? 0x20 : $0 }
    }

    /// Splits at CR LF, CR and LF alike, since clients end a line at each of them.
    private static func lines(_ text: String) -> [[UInt8]] {
        var lines: [[UInt8]] = [[]]
        var previous: UInt8 = 0
        for byte in text.utf8 {
            if byte == 0x0A, previous == 0x0D {
                previous = 0
                continue
            }
            if byte == 0x0A || byte == 0x0D {
                lines.append([])
            } else {
                lines[lines.count - 1].append(byte)
            }
            previous = byte
        }
        return lines
    }
}
