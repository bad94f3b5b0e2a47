@testable import HTTP

/// A request as parsed.
struct ParsedRequest: Equatable {
    var method: String
    var target: String
    var path: String
    var fields: HeaderFields
    var keepsAlive: Bool
    var body: [UInt8] = []
    var isComplete = false
}

/// Feeds the bytes in pieces, as a connection does.
/// - Parameter cuts: the offsets at which a piece ends.
func parse(
    _ bytes: [UInt8], cuts: [Int] = [], limits: ParserLimits = ParserLimits()
) throws -> [ParsedRequest] {
    var parser = RequestParser(limits: limits)
    var requests: [ParsedRequest] = []
    var input: [UInt8] = []
    var start = 0
    for cut in cuts + [bytes.count] {
        input += bytes[start..<cut]
        start = cut
        var isHungry = false
        while !isHungry {
            var consumed = 0
            isHungry = try input.withUnsafeBytes { buffer in
                guard let event = try parser.next(in: buffer, consumed: &consumed) else { return true }
                switch event {
                case .head(let head):
                    try parser.limitBody(to: limits.body)
                    requests.append(
                        ParsedRequest(
                            method: head.method.rawValue, target: head.target, path: head.path, fields: head.fields,
                            keepsAlive: head.keepsAlive, isComplete: head.framing == .none))
                case .body(let range): requests[requests.count - 1].body += buffer[range]
                case .end: requests[requests.count - 1].isComplete = true
                }
                return false
            }
            input.removeFirst(consumed)
        }
    }
    return requests
}

func parse(_ text: String, limits: ParserLimits = ParserLimits()) throws -> [ParsedRequest] {
    try parse(Array(text.utf8), limits: limits)
}

/// The status of the parser's refusal. Nil if the text is accepted.
func refusal(_ text: String, limits: ParserLimits = ParserLimits()) -> Int? {
    do {
        _ = try parse(text, limits: limits)
        return nil
    } catch {
        return (error as? ParserError)?.status.code
    }
}
