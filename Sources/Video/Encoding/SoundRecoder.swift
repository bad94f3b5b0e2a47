import CFFmpeg
import Glibc

/// Decodes sound and encodes it as AAC with at most two channels. Not sendable: it stays on one thread.
final class SoundRecoder {
    typealias Write = (UnsafeMutablePointer<AVPacket>, AVRational) throws(VideoError) -> Void

    private var decoder: UnsafeMutablePointer<AVCodecContext>?
    private var encoder: UnsafeMutablePointer<AVCodecContext>?
    private var resampler: OpaquePointer?
    private var samples: OpaquePointer?
    private var decoded: UnsafeMutablePointer<AVFrame>?
    private var converted: UnsafeMutablePointer<AVFrame>?
    private var block: UnsafeMutablePointer<AVFrame>?
    private var packet: UnsafeMutablePointer<AVPacket>?
    private let base: AVRational
    /// The time of the first picture on the source's clock, in microseconds.
    private var start: Int64 = 0
    /// The number of the next sample to encode. Nil before the first.
    private var position: Int64?

    init(_ source: UnsafeMutablePointer<AVStream>) throws(VideoError) {
        let parameters = source.pointee.codecpar.pointee
        base = source.pointee.time_base
        let name = String(cString: avcodec_get_name(parameters.codec_id))
        guard let found = PictureDecoder.codec(for: parameters.codec_id) else { throw .unsupportedCodec(name) }
        guard let aac = avcodec_find_encoder(AV_CODEC_ID_AAC) else { throw .unsupportedCodec("aac") }
        decoder = avcodec_alloc_context3(found)
        encoder = avcodec_alloc_context3(aac)
        (decoded, converted, block, packet) = (av_frame_alloc(), av_frame_alloc(), av_frame_alloc(), av_packet_alloc())
        guard let decoder, let encoder, decoded != nil, converted != nil, block != nil, packet != nil else {
            throw .overLimit("memory")
        }
        avcodec_parameters_to_context(decoder, source.pointee.codecpar)
        decoder.pointee.pkt_timebase = base
        guard avcodec_open2(decoder, found, nil) >= 0 else { throw .unsupportedCodec(name) }
        Self.order(&decoder.pointee.ch_layout)
        let rate = decoder.pointee.sample_rate
        let channels = decoder.pointee.ch_layout.nb_channels
        guard (7350...96_000).contains(rate), channels > 0 else {
            throw .corrupt("its sound has \(channels) channels at \(rate) Hz.")
        }
        encoder.pointee.sample_rate = rate
        encoder.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
        av_channel_layout_default(&encoder.pointee.ch_layout, min(2, channels))
        encoder.pointee.bit_rate = 64_000 * Int64(min(2, channels))
        encoder.pointee.time_base = AVRational(num: 1, den: rate)
        encoder.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
        guard avcodec_open2(encoder, aac, nil) >= 0 else { throw .unsupportedCodec("aac at \(rate) Hz") }
        guard
            swr_alloc_set_opts2(
                &resampler, &encoder.pointee.ch_layout, AV_SAMPLE_FMT_FLTP, rate, &decoder.pointee.ch_layout,
                decoder.pointee.sample_fmt, rate, 0, nil) >= 0, swr_init(resampler) >= 0
        else { throw .corrupt("its sound cannot be converted.") }
        samples = av_audio_fifo_alloc(AV_SAMPLE_FMT_FLTP, encoder.pointee.ch_layout.nb_channels, 4096)
        guard samples != nil else { throw .overLimit("memory") }
    }

    deinit {
        av_frame_free(&decoded)
        av_frame_free(&converted)
        av_frame_free(&block)
        av_packet_free(&packet)
        swr_free(&resampler)
        if let samples { av_audio_fifo_free(samples) }
        avcodec_free_context(&decoder)
        avcodec_free_context(&encoder)
    }

    func describe(_ stream: UnsafeMutablePointer<AVStream>) {
        guard let encoder else { return }
        avcodec_parameters_from_context(stream.pointee.codecpar, encoder)
        stream.pointee.time_base = encoder.pointee.time_base
    }

    /// - Parameter start: the time of the first picture on the source's clock, in microseconds.
    func add(_ packet: UnsafeMutablePointer<AVPacket>, start: Int64, _ write: Write) throws(VideoError) {
        self.start = start
        try decode(packet, write)
    }

    func finish(_ write: Write) throws(VideoError) {
        try decode(nil, write)
        try encodeBlocks(all: true, write)
        guard let encoder else { return }
        avcodec_send_frame(encoder, nil)
        try drain(write)
    }

    private func decode(_ packet: UnsafeMutablePointer<AVPacket>?, _ write: Write) throws(VideoError) {
        guard let decoder, let decoded else { return }
        // An undecodable packet becomes a moment of silence.
        guard avcodec_send_packet(decoder, packet) >= 0 else { return }
        while avcodec_receive_frame(decoder, decoded) >= 0 {
            try keepTime(of: decoded, write)
            try take(decoded)
            av_frame_unref(decoded)
            try encodeBlocks(all: false, write)
        }
    }

    /// Begins at the time of the first frame. After a pause it goes on at the time of the next one.
    private func keepTime(of frame: UnsafeMutablePointer<AVFrame>, _ write: Write) throws(VideoError) {
        guard let encoder, let samples else { return }
        let time = PictureDecoder.microseconds(frame.pointee.best_effort_timestamp, base)
        let first = time.map { av_rescale_q($0 - start, menagerie_ff_microseconds(), encoder.pointee.time_base) }
        guard let position else {
            self.position = first ?? 0
            return
        }
        let waiting = Int64(av_audio_fifo_size(samples))
        // Clocks of containers are coarse. What waits is filled up to a block.
        let least = Int64(max(encoder.pointee.sample_rate / 10, encoder.pointee.frame_size))
        guard let first, first - position - waiting > least else { return }
        try encodeBlocks(all: true, write)
        self.position = first
    }

    private func take(_ frame: UnsafeMutablePointer<AVFrame>) throws(VideoError) {
        guard let encoder, let converted, let samples else { return }
        Self.order(&frame.pointee.ch_layout)
        converted.pointee.format = AV_SAMPLE_FMT_FLTP.rawValue
        converted.pointee.sample_rate = encoder.pointee.sample_rate
        av_channel_layout_copy(&converted.pointee.ch_layout, &encoder.pointee.ch_layout)
        defer { av_frame_unref(converted) }
        // A stream that changes its format is not supported.
        guard swr_convert_frame(resampler, converted, frame) >= 0 else {
            throw .corrupt("its sound changes in the midst.")
        }
        let count = converted.pointee.nb_samples
        guard menagerie_ff_fifo_write(samples, converted, count) >= count else { throw .overLimit("memory") }
    }

    /// Channels without names get the default layout for their number.
    private static func order(_ layout: inout AVChannelLayout) {
        if layout.order == AV_CHANNEL_ORDER_UNSPEC { av_channel_layout_default(&layout, layout.nb_channels) }
    }

    /// - Parameter all: whether to encode less than a block too, with silence after it.
    private func encodeBlocks(all: Bool, _ write: Write) throws(VideoError) {
        guard let encoder, let block, let samples else { return }
        let size = max(1, encoder.pointee.frame_size)
        while case let available = av_audio_fifo_size(samples), available >= size || (all && available > 0) {
            block.pointee.nb_samples = size
            block.pointee.format = AV_SAMPLE_FMT_FLTP.rawValue
            block.pointee.sample_rate = encoder.pointee.sample_rate
            av_channel_layout_copy(&block.pointee.ch_layout, &encoder.pointee.ch_layout)
            guard av_frame_get_buffer(block, 0) >= 0 else { throw .overLimit("memory") }
            defer { av_frame_unref(block) }
            let count = min(size, available)
            av_samples_set_silence(
                block.pointee.extended_data, count, size - count, encoder.pointee.ch_layout.nb_channels,
                AV_SAMPLE_FMT_FLTP)
            menagerie_ff_fifo_read(samples, block, count)
            block.pointee.pts = position ?? 0
            position = (position ?? 0) + Int64(count)
            guard avcodec_send_frame(encoder, block) >= 0 else { throw .corrupt("its sound cannot be encoded.") }
            try drain(write)
        }
    }

    private func drain(_ write: Write) throws(VideoError) {
        guard let encoder, let packet else { return }
        while avcodec_receive_packet(encoder, packet) >= 0 {
            try write(packet, encoder.pointee.time_base)
            av_packet_unref(packet)
        }
    }
}
