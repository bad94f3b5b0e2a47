import CFFmpeg
import Glibc

/// Copies the sound of one file to an MP4. Codecs that MP4 players know stay as they are; others become AAC. Not
/// sendable: it stays on one thread.
final class SoundTrack {
    private let source: UnsafeMutablePointer<AVStream>
    private let target: UnsafeMutablePointer<AVStream>
    private let format: UnsafeMutablePointer<AVFormatContext>
    private var recoder: SoundRecoder?
    private var isStopped = false
    /// The packets that came before the first picture.
    private let early = KeptPackets()
    private var lastTime = Int64.min

    /// The codecs that every MP4 player knows.
    private static let copied: [AVCodecID] = [AV_CODEC_ID_AAC, AV_CODEC_ID_MP3, AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3]

    init(
        from source: UnsafeMutablePointer<AVStream>, into format: UnsafeMutablePointer<AVFormatContext>
    ) throws(VideoError) {
        self.source = source
        self.format = format
        let isCopied = Self.copied.contains(source.pointee.codecpar.pointee.codec_id)
        let recoder = isCopied ? nil : try SoundRecoder(source)
        guard let target = avformat_new_stream(format, nil) else { throw .overLimit("memory") }
        self.target = target
        self.recoder = recoder
        if let recoder {
            recoder.describe(target)
        } else {
            guard avcodec_parameters_copy(target.pointee.codecpar, source.pointee.codecpar) >= 0 else {
                throw .overLimit("memory")
            }
            // The tag belongs to the source's container.
            target.pointee.codecpar.pointee.codec_tag = 0
            target.pointee.time_base = source.pointee.time_base
        }
    }

    /// - Parameter start: the time of the first picture on the source's clock, in microseconds. Nil while unknown.
    func add(_ packet: UnsafeMutablePointer<AVPacket>, start: Int64?) throws(VideoError) {
        guard !isStopped, packet.pointee.stream_index == source.pointee.index else { return }
        guard let start else { return try early.append(packet) }
        try putEarly(start: start)
        try put(packet, start: start)
    }

    private func putEarly(start: Int64) throws(VideoError) {
        while let first = early.removeFirst() {
            var kept: UnsafeMutablePointer<AVPacket>? = first
            defer { av_packet_free(&kept) }
            try put(first, start: start)
        }
    }

    private func put(_ packet: UnsafeMutablePointer<AVPacket>, start origin: Int64) throws(VideoError) {
        let microseconds = menagerie_ff_microseconds()
        if let recoder {
            try recoder.add(packet, start: origin) { (packet, base) throws(VideoError) in try self.write(packet, base) }
            return
        }
        guard let copy = av_packet_clone(packet) else { throw .overLimit("memory") }
        var owned: UnsafeMutablePointer<AVPacket>? = copy
        defer { av_packet_free(&owned) }
        let shift = av_rescale_q(origin, microseconds, source.pointee.time_base)
        let none = menagerie_ff_no_time()
        if copy.pointee.pts != none { copy.pointee.pts -= shift }
        if copy.pointee.dts != none { copy.pointee.dts -= shift }
        try write(copy, source.pointee.time_base)
    }

    /// Drops all further sound.
    func stop() { isStopped = true }

    func finish(start: Int64?) {
        guard !isStopped, let start else { return }
        try? putEarly(start: start)
        try? recoder?.finish { (packet, base) throws(VideoError) in try self.write(packet, base) }
    }

    private func write(_ packet: UnsafeMutablePointer<AVPacket>, _ base: AVRational) throws(VideoError) {
        av_packet_rescale_ts(packet, base, target.pointee.time_base)
        let none = menagerie_ff_no_time()
        if packet.pointee.dts == none { packet.pointee.dts = packet.pointee.pts }
        // A packet out of order would make the whole file fail.
        guard packet.pointee.dts != none, packet.pointee.dts > lastTime else { return }
        lastTime = packet.pointee.dts
        packet.pointee.stream_index = target.pointee.index
        let code = av_interleaved_write_frame(format, packet)
        guard code >= 0 else { throw .corrupt("\(FFmpegError.text(code)).") }
    }
}
