/// Splits bytes that arrive in pieces into lines. Empty lines are counted but not returned.
struct LineSplitter {
    struct Line: Sendable {
        /// The line's number, from 1.
        let number: Int
        /// The line without its end; nil if it is longer than the limit.
        let bytes: [UInt8]?
    }

    private let limit: Int
    private var number = 1
    private var rest: [UInt8] = []
    private var isTooLong = false

    /// - Parameter limit: the longest line, in bytes.
    init(limit: Int) { self.limit = limit }

    /// The lines that end within these bytes.
    mutating func feed(_ bytes: [UInt8]) -> [Line] {
        var lines: [Line] = []
        var start = bytes.startIndex
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            keep(bytes[start..<end])
            lines += finish()
            start = end + 1
        }
        keep(bytes[start...])
        return lines
    }

    /// The last line, if no line end follows it. Call it after all bytes.
    mutating func finish() -> [Line] {
        defer {
            number += 1
            rest.removeAll(keepingCapacity: true)
            isTooLong = false
        }
        if isTooLong { return [Line(number: number, bytes: nil)] }
        let isBlank = rest.allSatisfy { $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }
        return isBlank ? [] : [Line(number: number, bytes: rest)]
    }

    private mutating func keep(_ bytes: ArraySlice<UInt8>) {
        if isTooLong || rest.count + bytes.count > limit {
            isTooLong = true
            rest.removeAll()
        } else {
            rest.append(contentsOf: bytes)
        }
    }
}
