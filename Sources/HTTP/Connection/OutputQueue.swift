/// The bytes that a connection has to send, in order: small ones in a borrowed buffer, larger bodies in their own
/// arrays, and parts of files.
///
/// Belongs to one loop.
struct OutputQueue {
    private enum Item {
        case buffer(ByteBuffer)
        case array([UInt8], offset: Int)
        case file(OpenFile, offset: Int, count: Int)
    }

    enum FlushResult {
        case done
        case blocked
        /// There is more to send, and other connections have their turn first.
        case unfinished
        /// The peer is gone, or a file was shorter than announced.
        case failed
    }

    /// The largest body, in bytes, that is copied behind its head.
    static let copyLimit = 16 * 1024
    /// The bytes that are sent before other connections get their turn. A client that reads as fast as this server sends
    /// never fills its socket.
    static let turn = 1024 * 1024

    private var items: [Item] = []
    private var first = 0
    /// The number of bytes that wait, not counting files.
    private(set) var count = 0
    /// The number of parts of files that wait. Each holds a descriptor.
    private var files = 0

    var isEmpty: Bool { first == items.count }

    /// Whether a connection should take no more work before this is sent.
    var isFull: Bool { count > 256 * 1024 || files > 0 }

    /// The buffer to which bytes are appended next.
    private mutating func tail(_ pool: BufferPool) -> ByteBuffer {
        if first < items.count, case .buffer(let buffer) = items[items.count - 1] { return buffer }
        let buffer = pool.take()
        items.append(.buffer(buffer))
        return buffer
    }

    /// Appends what the body writes into the buffer.
    @inline(__always)
    mutating func append(_ pool: BufferPool, _ write: (ByteBuffer) -> Void) {
        let tail = tail(pool)
        let before = tail.count
        write(tail)
        count += tail.count - before
    }

    mutating func append(_ text: StaticString, _ pool: BufferPool) {
        append(pool) { $0.append(text) }
    }

    /// Appends bytes, without copying when they are many.
    mutating func append(_ bytes: [UInt8], _ pool: BufferPool) {
        if bytes.isEmpty { return }
        count += bytes.count
        if bytes.count <= Self.copyLimit {
            tail(pool).append(bytes)
        } else {
            items.append(.array(bytes, offset: 0))
        }
    }

    mutating func append(_ region: FileRegion) {
        guard region.length > 0 else { return }
        items.append(.file(region.file, offset: region.offset, count: region.length))
        files += 1
    }

    /// Appends a body of known content.
    mutating func append(_ body: ResponseBody, _ pool: BufferPool) {
        switch body {
        case .bytes(let bytes): append(bytes, pool)
        case .file(let region): append(region)
        case .parts(let parts): for part in parts { append(ResponseBody(part), pool) }
        case .empty, .stream, .webSocket: break
        }
    }

    /// Sends until everything is sent, the socket is full or the turn is over.
    /// - Parameter sent: grows by the number of bytes sent.
    mutating func flush(
        _ descriptor: CInt, _ tls: TLSSession?, _ pool: BufferPool, sent: inout Int
    ) -> FlushResult {
        while first < items.count {
            if sent >= Self.turn { return .unfinished }
            let result: TransferResult
            switch items[first] {
            case .buffer(let buffer):
                if buffer.isEmpty {
                    popFirst(pool)
                    continue
                }
                result = tls.map { $0.write(buffer.readable) } ?? write(buffer, descriptor)
            case .array(let bytes, let offset):
                result = bytes.withUnsafeBytes {
                    let rest = UnsafeRawBufferPointer(rebasing: $0[offset...])
                    return tls.map { $0.write(rest) } ?? Socket.write(descriptor, rest)
                }
            case .file(let file, let offset, let count):
                result =
                    tls.map { Self.encrypt(file, offset: offset, count: count, $0) }
                    ?? Socket.sendFile(
                        descriptor, from: file.descriptor, offset: offset, count: min(count, Self.turn))
            }
            switch result {
            case .bytes(let written):
                if written == 0 { return .failed }
                sent += written
                // The usual case is one buffer that was sent whole.
                if case .buffer(let buffer) = items[first], buffer.count == written {
                    count -= written
                    popFirst(pool)
                } else {
                    consume(written, pool)
                }
            case .wouldBlock: return .blocked
            case .failed: return .failed
            }
        }
        items.removeAll(keepingCapacity: true)
        first = 0
        return .done
    }

    /// Sends one TLS record of a file. 0 bytes mean that the file ended.
    private static func encrypt(_ file: OpenFile, offset: Int, count: Int, _ tls: TLSSession) -> TransferResult {
        withUnsafeTemporaryAllocation(byteCount: min(count, TLSSession.recordSize), alignment: 16) { piece in
            let read = Socket.readFile(file.descriptor, offset: offset, into: piece)
            guard case .bytes(let length) = read, length > 0 else { return read }
            return tls.write(UnsafeRawBufferPointer(rebasing: piece[..<length]))
        }
    }

    mutating func clear(_ pool: BufferPool) {
        for case .buffer(let buffer) in items[first...] { pool.give(buffer) }
        items = []
        first = 0
        count = 0
        files = 0
    }

    /// Writes the buffer together with the array that follows, if there is one.
    private func write(_ buffer: ByteBuffer, _ descriptor: CInt) -> TransferResult {
        guard first + 1 < items.count else { return Socket.write(descriptor, buffer.readable) }
        guard case .array(let bytes, let offset) = items[first + 1] else {
            return Socket.write(descriptor, buffer.readable, more: true)
        }
        return bytes.withUnsafeBytes {
            Socket.write(descriptor, buffer.readable, UnsafeRawBufferPointer(rebasing: $0[offset...]))
        }
    }

    private mutating func consume(_ written: Int, _ pool: BufferPool) {
        var rest = written
        while rest > 0, first < items.count {
            switch items[first] {
            case .buffer(let buffer):
                let taken = min(rest, buffer.count)
                buffer.drop(taken)
                count -= taken
                rest -= taken
                if buffer.isEmpty { popFirst(pool) }
            case .array(let bytes, let offset):
                let taken = min(rest, bytes.count - offset)
                count -= taken
                rest -= taken
                if offset + taken == bytes.count {
                    popFirst(pool)
                } else {
                    items[first] = .array(bytes, offset: offset + taken)
                }
            case .file(let file, let offset, let remaining):
                if rest == remaining {
                    popFirst(pool)
                } else {
                    items[first] = .file(file, offset: offset + rest, count: remaining - rest)
                }
                rest = 0
            }
        }
    }

    private mutating func popFirst(_ pool: BufferPool) {
        switch items[first] {
        case .buffer(let buffer): pool.give(buffer)
        case .file: files -= 1
        case .array: break
        }
        // The array or file is released now rather than when everything is sent.
        items[first] = .array([], offset: 0)
        first += 1
    }
}
