/// Log lines that wait to be written, in memory that is reused.
package struct LogLines: ~Copyable {
    let format: LogFormat
    private var bytes: [UInt8] = []
    private var clock = LogClock()

    init(format: LogFormat) {
        self.format = format
    }

    var count: Int { bytes.count }

    /// Removes the lines, and frees the memory if it is more than `most` bytes.
    mutating func clear(keeping most: Int) { bytes.removeAll(keepingCapacity: bytes.capacity <= most) }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { bytes.withUnsafeBytes(body) }

    // MARK: Bytes

    @inline(__always)
    mutating func append(_ byte: UInt8) { bytes.append(byte) }

    @inline(__always)
    mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// - Parameter width: the smallest number of digits, filled up with zeros; at most 19.
    mutating func append(_ number: Int, width: Int = 1) {
        if number < 0 { append(UInt8(ascii: "-")) }
        var (rest, power) = (number.magnitude, 1 as UInt)
        var digits = 1
        while digits < 19, digits < width || rest / power >= 10 {
            digits += 1
            power *= 10
        }
        for _ in 0..<digits {
            append(UInt8(truncatingIfNeeded: 0x30 + rest / power))
            rest %= power
            power /= 10
        }
    }

    /// Appends the current time as RFC 3339 in UTC with milliseconds.
    mutating func appendTime() {
        clock.update()
        withUnsafeBytes(of: clock.text) { bytes.append(contentsOf: $0) }
    }
}
