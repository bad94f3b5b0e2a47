import Base
import CFFmpeg
import CSystemCalls
import Glibc

/// Lets FFmpeg read or write one open file by position. FFmpeg gets no name and can open nothing else.
///
/// FFmpeg keeps a pointer to this object, so it must outlive the context that uses it.
final class DescriptorIO {
    private static let bufferSize: Int32 = 1 << 18

    private(set) var context: UnsafeMutablePointer<AVIOContext>?
    private let descriptor: CInt
    private let isSeekable: Bool
    private var position: Int64 = 0

    /// - Parameters:
    ///   - descriptor: stays open when this object is released.
    ///   - writes: whether FFmpeg writes the file rather than reads it.
    init(_ descriptor: CInt, writes: Bool = false) throws(VideoError) {
        self.descriptor = descriptor
        isSeekable = menagerie_file_size(descriptor) >= 0
        guard let buffer = av_malloc(Int(Self.bufferSize)) else { throw .overLimit("memory") }
        let context = menagerie_ff_io(
            buffer.assumingMemoryBound(to: UInt8.self), Self.bufferSize, writes ? 1 : 0,
            Unmanaged.passUnretained(self).toOpaque(),
            { opaque, target, count in DescriptorIO.at(opaque).read(target, Int(count)) },
            { opaque, source, count in DescriptorIO.at(opaque).write(source, Int(count)) },
            { opaque, offset, origin in DescriptorIO.at(opaque).seek(offset, origin) })
        guard let context else {
            av_free(buffer)
            throw .overLimit("memory")
        }
        context.pointee.seekable = isSeekable ? AVIO_SEEKABLE_NORMAL : 0
        self.context = context
    }

    deinit {
        guard let context else { return }
        // FFmpeg may have replaced the buffer.
        av_freep(&context.pointee.buffer)
        avio_context_free(&self.context)
    }

    /// Whether the file begins with the type of an MP4 or MOV (ISO/IEC 14496-12 §4.3).
    var beginsLikeMP4: Bool {
        var start = [UInt8](repeating: 0, count: 8)
        guard avio_seek(context, 0, SEEK_SET) == 0, avio_read(context, &start, 8) == 8 else { return false }
        return start.dropFirst(4).elementsEqual("ftyp".utf8)
    }

    /// The object of a callback. `init` passed it, and it lives as long as the context.
    private static func at(_ opaque: UnsafeMutableRawPointer?) -> DescriptorIO {
        Unmanaged<DescriptorIO>.fromOpaque(opaque.unsafelyUnwrapped).takeUnretainedValue()
    }

    private func read(_ target: UnsafeMutablePointer<UInt8>?, _ count: Int) -> Int32 {
        let result = FileSystem.retrying {
            isSeekable ? pread(descriptor, target, count, Int(position)) : Glibc.read(descriptor, target, count)
        }
        guard result >= 0 else { return menagerie_ff_error(errno) }
        guard result > 0 else { return menagerie_ff_end() }
        position += Int64(result)
        return Int32(result)
    }

    private func write(_ source: UnsafeMutablePointer<UInt8>?, _ count: Int) -> Int32 {
        var written = 0
        while written < count {
            let result = FileSystem.retrying {
                pwrite(descriptor, source?.advanced(by: written), count - written, Int(position))
            }
            guard result > 0 else { return menagerie_ff_error(result < 0 ? errno : EIO) }
            written += result
            position += Int64(result)
        }
        return Int32(count)
    }

    private func seek(_ offset: Int64, _ origin: Int32) -> Int64 {
        guard isSeekable else { return Int64(menagerie_ff_error(ESPIPE)) }
        let size = menagerie_file_size(descriptor)
        guard size >= 0 else { return Int64(menagerie_ff_error(errno)) }
        if origin & menagerie_ff_seek_size() != 0 { return size }
        let start: Int64
        // The upper bits are flags of FFmpeg.
        switch origin & 0xFFFF {
        case SEEK_SET: start = 0
        case SEEK_CUR: start = position
        case SEEK_END: start = size
        default: return Int64(menagerie_ff_error(EINVAL))
        }
        let (target, isOver) = start.addingReportingOverflow(offset)
        guard !isOver, target >= 0 else { return Int64(menagerie_ff_error(EINVAL)) }
        position = target
        return target
    }
}
