import Base
import CFFmpeg
import Glibc
import Imaging

/// Writes an MP4 of H.264 pictures with the sound of another file. Browsers can play it before it is fully loaded. Not
/// sendable: it stays on one thread.
final class VideoWriter {
    private(set) var warnings: [VideoWarning] = []
    private let format: UnsafeMutablePointer<AVFormatContext>
    private let io: DescriptorIO
    private let stream: UnsafeMutablePointer<AVStream>
    private var encoder: UnsafeMutablePointer<AVCodecContext>?
    private var frame: UnsafeMutablePointer<AVFrame>?
    private var packet: UnsafeMutablePointer<AVPacket>?
    private var scaler: OpaquePointer?
    private var sound: SoundTrack?
    private var isFinished = false
    private var lastTime: Int64 = -1

    /// The ticks a second of the pictures' clock. All usual frame rates divide it.
    private static let clock = AVRational(num: 1, den: 90_000)
    private static let encoders = ["libx264", "libopenh264"]

    /// - Parameters:
    ///   - descriptor: an empty file, open for reading and writing.
    ///   - width: even, as `height`.
    ///   - sound: nil for a file without sound.
    init(
        _ descriptor: CInt, width: Int, height: Int, framesPerSecond: Double?, sound: UnsafeMutablePointer<AVStream>?
    ) throws(VideoError) {
        guard let codec = Self.encoders.lazy.compactMap({ avcodec_find_encoder_by_name($0) }).first else {
            throw .noEncoder
        }
        io = try DescriptorIO(descriptor, writes: true)
        var opened: UnsafeMutablePointer<AVFormatContext>?
        guard avformat_alloc_output_context2(&opened, nil, "mp4", nil) >= 0, let format = opened,
            let stream = avformat_new_stream(format, nil), let encoder = avcodec_alloc_context3(codec),
            let frame = av_frame_alloc(), let packet = av_packet_alloc()
        else { throw .overLimit("memory") }
        (self.format, self.stream, self.encoder, self.frame, self.packet) = (format, stream, encoder, frame, packet)
        format.pointee.pb = io.context
        format.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
        // To move the index to the front, FFmpeg reads the container again, from the same file.
        format.pointee.opaque = UnsafeMutableRawPointer(bitPattern: Int(descriptor) + 1)
        format.pointee.io_open = { context, result, _, flags, _ in
            guard let context, flags & AVIO_FLAG_WRITE == 0 else { return menagerie_ff_error(EPERM) }
            return Rereading.open(CInt(Int(bitPattern: context.pointee.opaque) - 1), result)
        }
        format.pointee.io_close2 = { _, io in Rereading.close(io) }
        let rate = framesPerSecond ?? 25
        encoder.pointee.width = Int32(width)
        encoder.pointee.height = Int32(height)
        encoder.pointee.pix_fmt = AV_PIX_FMT_YUV420P
        encoder.pointee.time_base = Self.clock
        encoder.pointee.framerate = av_d2q(rate, 100_000)
        encoder.pointee.gop_size = Int32(clamping: max(1, min(600, (rate * 4).rounded())))
        encoder.pointee.colorspace = AVCOL_SPC_BT709
        encoder.pointee.color_primaries = AVCOL_PRI_BT709
        encoder.pointee.color_trc = AVCOL_TRC_BT709
        encoder.pointee.color_range = AVCOL_RANGE_MPEG
        encoder.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
        encoder.pointee.bit_rate = 0
        var options: OpaquePointer?
        defer { av_dict_free(&options) }
        if String(cString: codec.pointee.name) == "libx264" {
            av_dict_set(&options, "preset", "veryfast", 0)
            av_dict_set(&options, "crf", "23", 0)
        } else {
            encoder.pointee.bit_rate = Int64(clamping: Double(width * height) * min(rate, 60) * 0.1)
        }
        let code = avcodec_open2(encoder, codec, &options)
        guard code >= 0 else { throw Self.failure(code) }
        avcodec_parameters_from_context(stream.pointee.codecpar, encoder)
        stream.pointee.time_base = Self.clock
        stream.pointee.avg_frame_rate = encoder.pointee.framerate
        if let sound {
            do throws(VideoError) {
                self.sound = try SoundTrack(from: sound, into: format)
            } catch {
                warnings.append(.soundLost(error))
            }
        }
        frame.pointee.width = Int32(width)
        frame.pointee.height = Int32(height)
        frame.pointee.format = AV_PIX_FMT_YUV420P.rawValue
        guard av_frame_get_buffer(frame, 0) >= 0 else { throw .overLimit("memory") }
        scaler = sws_getContext(
            Int32(width), Int32(height), AV_PIX_FMT_RGB24, Int32(width), Int32(height), AV_PIX_FMT_YUV420P,
            Int32(SWS_BILINEAR), nil, nil, nil)
        guard scaler != nil else { throw .overLimit("memory") }
        sws_setColorspaceDetails(
            scaler, sws_getCoefficients(SWS_CS_DEFAULT), 1, sws_getCoefficients(SWS_CS_ITU709), 0, 0, 1 << 16, 1 << 16)
        var muxing: OpaquePointer?
        defer { av_dict_free(&muxing) }
        av_dict_set(&muxing, "movflags", "+faststart", 0)
        let written = avformat_write_header(format, &muxing)
        guard written >= 0 else { throw Self.failure(written) }
    }

    deinit {
        sws_freeContext(scaler)
        av_frame_free(&frame)
        av_packet_free(&packet)
        avcodec_free_context(&encoder)
        sound = nil
        avformat_free_context(format)
    }

    /// - Parameter time: microseconds since the first picture.
    func add(_ picture: PixelBuffer, at time: Int64) throws(VideoError) {
        guard let frame else { return }
        let tick = av_rescale_q(time, menagerie_ff_microseconds(), Self.clock)
        guard tick > lastTime else { return }
        lastTime = tick
        // The encoder may still use the last frame.
        guard av_frame_make_writable(frame) >= 0 else { throw .overLimit("memory") }
        menagerie_ff_from_rgb(scaler, picture.bytes, Int32(picture.width * 3), frame)
        frame.pointee.pts = tick
        try encode(frame)
    }

    /// - Parameters:
    ///   - packet: a packet of the sound stream. Packets of other streams are ignored.
    ///   - start: the time of the first picture on the container's clock, in microseconds. Nil while unknown.
    func add(sound packet: UnsafeMutablePointer<AVPacket>, start: Int64?) throws(VideoError) {
        guard let sound else { return }
        do throws(VideoError) {
            try sound.add(packet, start: start)
        } catch {
            warnings.append(.soundCut(error))
            sound.stop()
        }
    }

    /// Writes the rest and the index.
    ///
    /// - Parameter start: the time of the first picture on the container's clock, in microseconds.
    func finish(start: Int64?) throws(VideoError) {
        guard !isFinished else { return }
        isFinished = true
        try encode(nil)
        sound?.finish(start: start)
        let code = av_write_trailer(format)
        guard code >= 0 else { throw Self.failure(code) }
    }

    private func encode(_ frame: UnsafeMutablePointer<AVFrame>?) throws(VideoError) {
        guard let encoder, let packet else { return }
        let sent = avcodec_send_frame(encoder, frame)
        guard sent >= 0 else { throw Self.failure(sent) }
        while true {
            let code = avcodec_receive_packet(encoder, packet)
            if code == menagerie_ff_error(EAGAIN) || code == menagerie_ff_end() { return }
            guard code >= 0 else { throw Self.failure(code) }
            av_packet_rescale_ts(packet, Self.clock, stream.pointee.time_base)
            packet.pointee.stream_index = stream.pointee.index
            let written = av_interleaved_write_frame(format, packet)
            guard written >= 0 else { throw Self.failure(written) }
        }
    }

    private static func failure(_ code: Int32) -> VideoError {
        switch code {
        case menagerie_ff_error(ENOMEM): .overLimit("memory")
        case menagerie_ff_error(EFBIG): .overLimit("bytes of the annotated file")
        case menagerie_ff_error(ENOSPC), menagerie_ff_error(EDQUOT): .system("the disk is full")
        default: .system("the annotated file cannot be written: \(FFmpegError.text(code))")
        }
    }
}

/// The written file, which FFmpeg reads to move the index to the front.
private enum Rereading {
    static func open(_ descriptor: CInt, _ result: UnsafeMutablePointer<UnsafeMutablePointer<AVIOContext>?>?) -> Int32 {
        guard let io = try? DescriptorIO(descriptor) else { return menagerie_ff_error(ENOMEM) }
        result?.pointee = io.context
        // ``close(_:)`` releases it.
        _ = Unmanaged.passRetained(io)
        return 0
    }

    static func close(_ context: UnsafeMutablePointer<AVIOContext>?) -> Int32 {
        guard let opaque = context?.pointee.opaque else { return 0 }
        Unmanaged<DescriptorIO>.fromOpaque(opaque).release()
        return 0
    }
}
