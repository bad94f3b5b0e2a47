import CSystemCalls
import Glibc

/// The result of a non-blocking call.
enum TransferResult: Hashable, Sendable {
    /// The number of bytes. 0 marks the end, and only a read returns it.
    case bytes(Int)
    case wouldBlock
    case failed
}

/// The system calls on sockets, repeated when a signal interrupts them.
enum Socket {
    @inline(__always)
    private static func transfer(_ call: () -> Int) -> TransferResult {
        while true {
            let count = call()
            if count >= 0 { return .bytes(count) }
            let code = errno
            if code != EINTR { return code == EAGAIN ? .wouldBlock : .failed }
        }
    }

    static func read(_ descriptor: CInt, into buffer: UnsafeMutableRawBufferPointer) -> TransferResult {
        transfer { recv(descriptor, buffer.baseAddress, buffer.count, 0) }
    }

    /// The number of bytes that can be read at once; also 0 at the end of the stream.
    static func available(_ descriptor: CInt) -> Int {
        var count: CInt = 0
        return ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
    }

    /// - Parameter more: whether more bytes follow at once, so that the kernel may wait for a full segment.
    static func write(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer, more: Bool = false) -> TransferResult {
        let flags = CInt(MSG_NOSIGNAL) | (more ? CInt(MSG_MORE) : 0)
        return transfer { send(descriptor, bytes.baseAddress, bytes.count, flags) }
    }

    /// Writes two pieces with one call.
    static func write(
        _ descriptor: CInt, _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer
    ) -> TransferResult {
        withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { pieces in
            pieces[0] = iovec(iov_base: UnsafeMutableRawPointer(mutating: first.baseAddress), iov_len: first.count)
            pieces[1] = iovec(iov_base: UnsafeMutableRawPointer(mutating: second.baseAddress), iov_len: second.count)
            var message = msghdr()
            message.msg_iov = pieces.baseAddress
            message.msg_iovlen = 2
            return transfer { sendmsg(descriptor, &message, CInt(MSG_NOSIGNAL)) }
        }
    }

    /// Sends a part of a file without copying it through this process. 0 bytes mean that the file ended.
    static func sendFile(_ descriptor: CInt, from file: CInt, offset: Int, count: Int) -> TransferResult {
        var position = off_t(offset)
        return transfer { sendfile(descriptor, file, &position, count) }
    }

    /// Reads a part of a file. 0 bytes mean that the file ended.
    static func readFile(_ file: CInt, offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> TransferResult {
        transfer { pread(file, buffer.baseAddress, buffer.count, off_t(offset)) }
    }

    /// Ends the writing side. The peer reads what was sent, and then the end.
    static func shutdownWriting(_ descriptor: CInt) {
        _ = Glibc.shutdown(descriptor, CInt(SHUT_WR))
    }

    static func close(_ descriptor: CInt) {
        _ = Glibc.close(descriptor)
    }

    /// Closes with a reset and drops what was not sent.
    static func abort(_ descriptor: CInt) {
        var option = linger(l_onoff: 1, l_linger: 0)
        _ = setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close(descriptor)
    }

    static func set(_ descriptor: CInt, level: CInt, option: CInt, _ value: CInt) {
        var value = value
        _ = setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<CInt>.size))
    }
}
