import Foundation

/// Log lines that wait to be written: bytes in memory that is used again, so that a line costs no allocation.
///
/// `@unchecked Sendable`: it is the only owner of its memory, and cannot be copied.
package struct LogLines: ~Copyable, @unchecked Sendable {
    let format: LogFormat
    private var base: UnsafeMutableRawPointer
    private var capacity: Int
    private(set) var count = 0
    private var clock = LogClock()

    init(format: LogFormat, capacity: Int = 4096) {
        self.format = format
        self.capacity = capacity
        base = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit {
        base.deallocate()
    }

    /// Forgets the content, and gives memory beyond so many bytes back.
    mutating func clear(keeping most: Int) {
        count = 0
        guard capacity > most else { return }
        base.deallocate()
        capacity = most
        base = .allocate(byteCount: most, alignment: 16)
    }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(UnsafeRawBufferPointer(start: base, count: count))
    }

    // MARK: Bytes

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        reserve(1)
        base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
        reserve(bytes.count)
        (base + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    @inline(__always)
    mutating func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    @inline(__always)
    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// - Parameter width: digits at least, filled up with zeros; at most 19.
    mutating func append(_ number: Int, width: Int = 1) {
        if number < 0 { append(UInt8(ascii: "-")) }
        var rest = number.magnitude
        var digits = 1
        var limit: UInt = 10
        while digits < 19, rest >= limit {
            digits += 1
            limit *= 10
        }
        digits = max(digits, width)
        reserve(digits)
        var position = count + digits
        count = position
        for _ in 0..<digits {
            position -= 1
            base.storeBytes(of: UInt8(truncatingIfNeeded: 0x30 + rest % 10), toByteOffset: position, as: UInt8.self)
            rest /= 10
        }
    }

    /// The time now as RFC 3339 in UTC with milliseconds.
    mutating func appendTime() {
        clock.update()
        withUnsafeBytes(of: clock.text) { append($0) }
    }

    @inline(__always)
    private mutating func reserve(_ more: Int) {
        if capacity - count < more { grow(more) }
    }

    @inline(never)
    private mutating func grow(_ more: Int) {
        capacity = max(capacity * 2, count + more)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        larger.copyMemory(from: base, byteCount: count)
        base.deallocate()
        base = larger
    }
}
