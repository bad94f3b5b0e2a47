// Scripts/fuzz protocols compiles this file into one module with the server, so that it has access to internal code.
import Glibc

/// The code that receives libFuzzer's bytes. MENAGERIE_FUZZ_TARGET chooses it.
enum FuzzTarget: String {
    case request, chunked, multipart, websocket

    static let chosen: FuzzTarget = {
        guard let name = getenv("MENAGERIE_FUZZ_TARGET"), let target = FuzzTarget(rawValue: String(cString: name))
        else {
            print("MENAGERIE_FUZZ_TARGET must be request, chunked, multipart or websocket.")
            exit(2)
        }
        return target
    }()
}

/// libFuzzer's entry point.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    switch FuzzTarget.chosen {
    case .request: fuzzRequest(bytes)
    case .chunked: fuzzRequest(Array("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".utf8) + bytes)
    case .multipart: fuzzMultipart(bytes)
    case .websocket: fuzzWebSocket(bytes)
    }
    return 0
}

/// Parses the bytes whole and in pieces of 1 to 16 bytes. Both must give the same result. Only the status of a refusal
/// may differ, since a line may be refused as too long before its end.
private func fuzzRequest(_ bytes: [UInt8]) {
    let whole = parse(bytes, piece: bytes.count)
    let pieces = parse(bytes, piece: Int(bytes.last ?? 0) % 16 + 1)
    precondition(whole == pieces, "The pieces were parsed otherwise than the whole.")
}

private func parse(_ bytes: [UInt8], piece: Int) -> [String] {
    var parser = RequestParser(limits: ParserLimits.standard)
    var trace: [String] = []
    var body: [UInt8] = []
    var input: [UInt8] = []
    var start = 0
    repeat {
        let end = min(bytes.count, start + max(1, piece))
        input += bytes[start..<end]
        start = end
        while true {
            var consumed = 0
            var isHungry = false
            do {
                try input.withUnsafeBytes { buffer in
                    guard let event = try parser.next(in: buffer, consumed: &consumed) else {
                        isHungry = true
                        return
                    }
                    switch event {
                    case .head(let head):
                        try parser.limitBody(to: ParserLimits.standard.body)
                        trace.append("\(head.method) \(head.target) \(head.path) \(head.keepsAlive)")
                    case .body(let range): body += buffer[range]
                    case .end:
                        trace.append("body \(body)")
                        body = []
                    }
                }
            } catch { return trace + ["error"] }
            precondition(consumed >= 0 && consumed <= input.count, "More was used than there was.")
            input.removeFirst(consumed)
            if isHungry { break }
        }
    } while start < bytes.count
    return trace + ["body \(body)"]
}

private func fuzzWebSocket(_ bytes: [UInt8]) {
    // The first byte turns compression on and determines the pieces.
    guard let first = bytes.first else { return }
    let limits = WebSocketLimits(messageBytes: 1 << 16)
    let session = WebSocketSession(deflate: first & 1 == 1 ? WebSocketDeflate() : nil, limits: limits)
    let piece = Int(first >> 1) + 1
    var start = 1
    while start < bytes.count, !session.isOver {
        let end = min(bytes.count, start + piece)
        var input = bytes[start..<end]
        session.receive(&input) { event in
            if case .message(let message) = event { session.send(message) }
            return true
        }
        _ = session.takeOutput()
        start = end
    }
}

/// Parses the bytes whole and in pieces. Both must give the same parts.
private func fuzzMultipart(_ bytes: [UInt8]) {
    let whole = parts(bytes, piece: max(1, bytes.count))
    let pieces = parts(bytes, piece: Int(bytes.last ?? 0) % 16 + 1)
    precondition(whole == pieces, "The pieces were parsed otherwise than the whole.")
}

private func parts(_ bytes: [UInt8], piece: Int) -> [[UInt8]]? {
    do {
        var parser = try MultipartParser(boundary: "b")
        var collector = MultipartParser.Collector()
        for start in stride(from: 0, to: bytes.count, by: piece) {
            collector.take(try parser.feed(Array(bytes[start..<min(bytes.count, start + piece)])))
        }
        try parser.finish()
        return collector.parts.map(\.bytes)
    } catch {
        return nil
    }
}
