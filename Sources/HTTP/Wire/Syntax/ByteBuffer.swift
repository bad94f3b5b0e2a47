/// A queue of bytes: appended at the end, taken from the front, in memory that is kept between uses.
///
/// It is a class so that loops can pool buffers. Each belongs to one loop.
package final class ByteBuffer {
    private var storage: UnsafeMutableRawBufferPointer
    private var start = 0
    private var end = 0

    init(capacity: Int) {
        storage = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit {
        storage.deallocate()
    }

    package var count: Int { end - start }
    package var isEmpty: Bool { start == end }
    var capacity: Int { storage.count }

    /// The content. The pointer is valid until the next mutation.
    package var readable: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[start..<end]) }

    /// Removes bytes from the front. `count` must not exceed the content.
    package func drop(_ count: Int) {
        start += count
        if start == end { clear() }
    }

    func clear() {
        start = 0
        end = 0
    }

    @inline(__always)
    package func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, bytes.count > 0 else { return }
        reserve(bytes.count)
        (storage.baseAddress.unsafelyUnwrapped + end).copyMemory(from: source, byteCount: bytes.count)
        end += bytes.count
    }

    @inline(__always)
    package func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    @inline(__always)
    package func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    package func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    /// - Parameter radix: 10, or 16 in lower case.
    package func append(_ number: Int, radix: Int = 10) {
        withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { digits in
            var position = digits.count
            var rest = UInt(bitPattern: number)
            repeat {
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: UInt(radix))
                position -= 1
                digits[position] = UInt8(truncatingIfNeeded: digit < 10 ? 0x30 + digit : 0x57 + digit)
                rest = quotient
            } while rest > 0
            append(UnsafeRawBufferPointer(rebasing: digits[position...]))
        }
    }

    @inline(__always)
    private func reserve(_ count: Int) {
        if storage.count - end < count { makeRoom(count) }
    }

    @inline(never)
    private func makeRoom(_ count: Int) {
        let content = self.count
        if storage.count - content >= count, start > storage.count / 2 {
            if let base = storage.baseAddress { base.copyMemory(from: base + start, byteCount: content) }
        } else {
            let larger = UnsafeMutableRawBufferPointer.allocate(
                byteCount: max(storage.count * 2, content + count), alignment: 16)
            if let target = larger.baseAddress, let base = storage.baseAddress {
                target.copyMemory(from: base + start, byteCount: content)
            }
            storage.deallocate()
            storage = larger
        }
        start = 0
        end = content
    }
}

/// Buffers that connections borrow only while they have content, so that idle connections hold none.
package final class BufferPool {
    /// The size of a fresh buffer, in bytes.
    static let capacity = 16 * 1024
    private static let most = 64
    /// Unchecked: one thread uses it, and nothing here calls back.
    @exclusivity(unchecked) private var buffers: [ByteBuffer] = []

    package init() {}

    /// An empty buffer, from the pool if it has one.
    package func take() -> ByteBuffer {
        buffers.popLast() ?? ByteBuffer(capacity: Self.capacity)
    }

    /// Takes a buffer back. Buffers that grew large are freed, so that one large message does not keep its memory.
    package func give(_ buffer: ByteBuffer) {
        guard buffers.count < Self.most, buffer.capacity <= 4 * Self.capacity else { return }
        buffer.clear()
        buffers.append(buffer)
    }
}
