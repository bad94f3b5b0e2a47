/// Cuts bytes that arrive in pieces into lines. Empty lines are counted and left out.
struct LineSplitter {
    struct Line: Sendable {
        /// From 1.
        let number: Int
        /// Without its end; nil where it is longer than the limit.
        let bytes: [UInt8]?
    }

    private let limit: Int
    private var number = 1
    private var rest: [UInt8] = []
    private var isTooLong = false

    /// - Parameter limit: bytes of the longest line.
    init(limit: Int) {
        self.limit = limit
    }

    /// The lines that end within the next bytes.
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

    /// The last line, where nothing ends it; to be called once all is fed.
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
