extension Connection {
    /// The smallest rest of a body, in bytes, that is read into a chunk of its own.
    private static let directReceipt = 16 * 1024
    /// The largest read between requests, in bytes.
    private static let headRead = 16 * 1024

    /// Reads a large body right into the chunk that its reader gets. The copy was a sixth of an upload's work.
    /// - Returns: false when the body is not read this way, so that ``read()`` has to do it.
    func receiveBody() -> Bool {
        let wanted = min(parser.bodyBytesLeft, InputQueue<[UInt8]>.highWatermark)
        guard wanted >= Self.directReceipt, tls == nil, input == nil, exchange?.channel != nil else {
            return false
        }
        let available = Socket.available(descriptor)
        // The chunk is no larger than what is there: a client that drips holds no memory.
        let size = min(wanted, available)
        guard size >= Self.directReceipt else { return false }
        var result = TransferResult.wouldBlock
        let chunk = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            result = Socket.read(descriptor, into: UnsafeMutableRawBufferPointer(buffer))
            if case .bytes(let received) = result { count = received }
        }
        guard case .bytes(let count) = result, count > 0 else { return false }
        // The loop reports later bytes by a new event.
        if count == available, !isEndComing { isUnread = false }
        context.observer?.bytesReceived(count)
        parser.passedBody(count)
        receive(count) { chunk }
        return true
    }

    func read() {
        // A head is small. Whatever part of a body comes with it is copied, so the read is kept small.
        let scratch =
            machine.isServing
            ? context.scratch : UnsafeMutableRawBufferPointer(rebasing: context.scratch[..<Self.headRead])
        // A lingering connection drops what comes, so nothing is decrypted.
        let result =
            if let tls, !machine.isLingering {
                tls.read(into: context.scratch)
            } else {
                Socket.read(descriptor, into: scratch)
            }
        switch result {
        case .bytes(0):
            isUnread = false
            peerShut()
        case .bytes(let count):
            // A short read means that the socket is empty. The loop reports a later end of the stream by itself.
            if tls == nil, count < scratch.count, !isEndComing { isUnread = false }
            context.observer?.bytesReceived(count)
            let bytes = UnsafeRawBufferPointer(rebasing: context.scratch[..<count])
            if let input {
                input.append(bytes)
                return
            }
            let consumed = process(bytes)
            if consumed < count, !machine.isClosed {
                let buffer = context.pool.take()
                buffer.append(UnsafeRawBufferPointer(rebasing: bytes[consumed...]))
                input = buffer
            }
        case .wouldBlock: isUnread = false
        case .failed: lose()
        }
    }

    /// - Returns: the number of bytes used.
    func process(_ bytes: UnsafeRawBufferPointer) -> Int {
        if machine.isLingering { return bytes.count }
        var position = 0
        while machine.wantsInput, !output.isFull {
            if machine.isUpgraded {
                return position + receiveWebSocket(UnsafeRawBufferPointer(rebasing: bytes[position...]))
            }
            if isTurnOver {
                pumpLater()
                break
            }
            var consumed = 0
            let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
            do {
                let event = try parser.next(in: rest, consumed: &consumed)
                position += consumed
                guard let event else {
                    if parser.isWithinRequest { machine.receivedPartOfHead() }
                    break
                }
                switch consume event {
                case .head(let head): begin(head)
                case .body(let range):
                    // A slice would be copied byte by byte.
                    receive(range.count) { [UInt8](UnsafeRawBufferPointer(rebasing: rest[range])) }
                case .end: endRequest()
                }
            } catch {
                fail(error)
                return bytes.count
            }
        }
        return position
    }
}
