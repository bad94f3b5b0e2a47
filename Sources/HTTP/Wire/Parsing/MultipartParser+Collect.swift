extension MultipartParser {
    /// Joins the parser's events into whole parts.
    struct Collector {
        private(set) var parts: [MultipartPart] = []
        private var head: MultipartHead?
        private var bytes: [UInt8] = []

        mutating func take(_ events: [Event]) {
            for event in events {
                switch event {
                case .partBegan(let head): self.head = head
                case .partBytes(let slice): bytes.append(contentsOf: slice)
                case .partEnded:
                    if let head { parts.append(MultipartPart(head: head, bytes: bytes)) }
                    head = nil
                    bytes = []
                }
            }
        }
    }
}

extension Request {
    /// Reads a `multipart/form-data` body as it arrives.
    /// - Throws: ``MultipartError``, ``RequestBodyError``, and the errors of `take`.
    package func readForm(
        limits: MultipartLimits, _ take: (MultipartParser.Event) async throws -> Void
    ) async throws {
        var parser = try MultipartParser(contentType: headers["Content-Type"], limits: limits)
        for try await chunk in body {
            for event in try parser.feed(chunk) { try await take(event) }
        }
        try parser.finish()
    }

    /// The parts of a `multipart/form-data` body, read as it arrives.
    /// - Throws: ``MultipartError``, ``RequestBodyError``.
    package func multipartParts(limits: MultipartLimits = MultipartLimits()) async throws -> [MultipartPart] {
        var parser = try MultipartParser(contentType: headers["Content-Type"], limits: limits)
        if let length = body.contentLength, length > limits.totalBytes {
            throw MultipartError.bodyTooLarge(limit: limits.totalBytes)
        }
        var collector = MultipartParser.Collector()
        for try await chunk in body {
            try body.hold(chunk.count)
            collector.take(try parser.feed(chunk))
        }
        try parser.finish()
        return collector.parts
    }
}
