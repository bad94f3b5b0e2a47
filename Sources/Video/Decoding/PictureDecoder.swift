import CFFmpeg
import Glibc

/// Decodes the pictures of a container in display order. Not sendable: it stays on one thread.
final class PictureDecoder {
    private let input: VideoInput
    private let limits: VideoLimits
    private var context: UnsafeMutablePointer<AVCodecContext>?
    private var packet: UnsafeMutablePointer<AVPacket>?
    private var frame: UnsafeMutablePointer<AVFrame>?
    private var isDraining = false
    private var isOver = false
    /// The time of the first picture on the container's clock, in microseconds.
    private(set) var start: Int64?
    private var lastTime: Int64 = -1
    /// The end of the sound that was read, on the same clock.
    private var soundEnd: Int64?
    private var clock = PacketClock()
    private(set) var ending = VideoEnding()
    /// The reason why reading stopped before the end of the video.
    private(set) var interruption: String?
    /// Skips packets that need no decoding. Nil decodes all.
    var doze: PacketDoze?
    private let kept = KeptPackets()
    private var isReplaying = false
    /// Whether a glance waits for its picture, and whether the picture has come.
    private var glance: (isOpen: Bool, hasCome: Bool) = (false, false)
    /// Earlier pictures are dropped. Microseconds on the container's clock.
    private var floor: Int64?

    /// The most undecodable packets in a row before the decoder gives up.
    private static let patience = 500
    private var damagedInARow = 0

    /// - Parameters:
    ///   - threads: the number of decoding threads. 0 means one for each core.
    ///   - skipsUnreferenced: whether to skip pictures that no other picture needs.
    init(
        _ input: VideoInput, limits: VideoLimits, threads: Int32 = 0, skipsUnreferenced: Bool = false
    ) throws(VideoError) {
        self.input = input
        self.limits = limits
        let parameters = input.video.pointee.codecpar.pointee
        guard let codec = Self.codec(for: parameters.codec_id) else {
            throw .unsupportedCodec(String(cString: avcodec_get_name(parameters.codec_id)))
        }
        guard let context = avcodec_alloc_context3(codec), let packet = av_packet_alloc(), let frame = av_frame_alloc()
        else { throw .overLimit("memory") }
        (self.context, self.packet, self.frame) = (context, packet, frame)
        avcodec_parameters_to_context(context, input.video.pointee.codecpar)
        context.pointee.pkt_timebase = input.video.pointee.time_base
        context.pointee.thread_count = threads
        context.pointee.max_pixels = Int64(limits.pixels)
        if skipsUnreferenced { context.pointee.skip_frame = AVDISCARD_NONREF }
        let code = avcodec_open2(context, codec, nil)
        guard code >= 0 else {
            throw FFmpegError.isMemory(code) ? .overLimit("memory") : .corrupt(FFmpegError.text(code) + ".")
        }
    }

    deinit {
        av_frame_free(&frame)
        av_packet_free(&packet)
        avcodec_free_context(&context)
    }

    /// The decoder of a codec, if the codec is allowed.
    static func codec(for id: AVCodecID) -> UnsafePointer<AVCodec>? {
        guard let codec = avcodec_find_decoder(id) else { return nil }
        return VideoInput.codecs.split(separator: ",").contains { $0 == String(cString: codec.pointee.name) }
            ? codec : nil
    }

    /// The next picture and its time in microseconds since the first one, valid until the next call. Nil at the end.
    ///
    /// - Parameter other: receives the packets of other streams, in order between the pictures.
    func next(
        _ other: (UnsafeMutablePointer<AVPacket>) throws(VideoError) -> Void = { (_) throws(VideoError) in }
    ) throws(VideoError) -> (frame: UnsafeMutablePointer<AVFrame>, time: Int64)? {
        guard let context, let packet, let frame else { return nil }
        while !isOver {
            let code = avcodec_receive_frame(context, frame)
            if code >= 0 {
                damagedInARow = 0
                glance.hasCome = true
                guard let time = try time(of: frame) else { continue }
                ending.frames += 1
                ending.last = time
                return (frame, time)
            }
            if code == menagerie_ff_end(), glance.isOpen {
                avcodec_flush_buffers(context)
                // The picture was marked as a key picture but did not come alone. This stream cannot doze.
                if !glance.hasCome { (doze, isReplaying) = (nil, true) }
                glance.isOpen = false
            } else if code == menagerie_ff_end() {
                isOver = true
            } else if code == menagerie_ff_error(EAGAIN) {
                try feed(context, packet, other)
            } else {
                try countDamage(code)
            }
        }
        guard ending.frames > 0 else { throw .corrupt("not one picture of it can be decoded.") }
        // The last picture is shown for as long as the others.
        let shown = ending.last + input.info.interval
        let end = Double(max(shown, soundEnd.map { $0 - (start ?? 0) } ?? shown)) / 1_000_000
        if let duration = input.info.duration, end < duration * 0.9 - 1 {
            ending.isTruncated = true
        }
        return nil
    }

    /// Goes to the last place at or before a time where decoding can start. Call it once the first picture is known. In
    /// a container without times or an index, reading continues where it is.
    ///
    /// - Parameters:
    ///   - time: microseconds since the first picture.
    ///   - sign: is called for each packet that is read on the way.
    /// - Returns: whether it went there.
    func seek(to time: Int64, _ sign: () throws(VideoError) -> Void) throws(VideoError) -> Bool {
        guard let context, let start, input.isTimed else { return false }
        if input.restartsClock {
            // Of a file that was joined, the times do not tell the places. So all packets up to there are read.
            try keep(until: start + time, context, sign)
            return false
        }
        let base = input.video.pointee.time_base
        let target = av_rescale_q(start + time, menagerie_ff_microseconds(), base)
        guard av_seek_frame(input.format, input.video.pointee.index, target, AVSEEK_FLAG_BACKWARD) >= 0 else {
            return false
        }
        avcodec_flush_buffers(context)
        (lastTime, isDraining, isOver) = (-1, false, false)
        return true
    }

    /// Reads up to a time on the container's clock, and keeps the packets from the last key picture at or before it.
    private func keep(
        until target: Int64, _ context: UnsafeMutablePointer<AVCodecContext>, _ sign: () throws(VideoError) -> Void
    ) throws(VideoError) {
        guard let packet else { return }
        isReplaying = true
        while try read(packet) {
            defer { av_packet_unref(packet) }
            try sign()
            guard packet.pointee.stream_index == input.video.pointee.index else { continue }
            let shown = Self.microseconds(packet.pointee.pts, input.video)
            if packet.pointee.flags & AV_PKT_FLAG_KEY != 0, let shown, shown <= target {
                kept.removeAll()
                avcodec_flush_buffers(context)
            }
            try kept.append(packet)
            if let decoded = Self.microseconds(packet.pointee.dts, input.video) ?? shown, decoded > target { return }
        }
    }

    /// Reads the next packet. Its times go on where those of the container begin anew.
    ///
    /// - Returns: false at the end.
    private func read(_ packet: UnsafeMutablePointer<AVPacket>) throws(VideoError) -> Bool {
        var code = av_read_frame(input.format, packet)
        while code == menagerie_ff_error(EAGAIN) { code = av_read_frame(input.format, packet) }
        guard code >= 0 else {
            if FFmpegError.isMemory(code) { throw .overLimit("memory") }
            if code != menagerie_ff_end() {
                ending.isTruncated = true
                interruption = FFmpegError.text(code)
            }
            return false
        }
        guard input.restartsClock, let stream = input.format.pointee.streams[Int(packet.pointee.stream_index)] else {
            return true
        }
        let time = Self.microseconds(packet.pointee.dts, stream) ?? Self.microseconds(packet.pointee.pts, stream)
        if stream == input.video, let time { clock.follow(time, step: input.info.interval) }
        let shift = av_rescale_q(clock.shift(of: time), menagerie_ff_microseconds(), stream.pointee.time_base)
        let none = menagerie_ff_no_time()
        if packet.pointee.pts != none { packet.pointee.pts &+= shift }
        if packet.pointee.dts != none { packet.pointee.dts &+= shift }
        return true
    }

    private func feed(
        _ context: UnsafeMutablePointer<AVCodecContext>, _ packet: UnsafeMutablePointer<AVPacket>,
        _ other: (UnsafeMutablePointer<AVPacket>) throws(VideoError) -> Void
    ) throws(VideoError) {
        guard !isDraining else {
            isOver = true
            return
        }
        if isReplaying {
            var next = kept.removeFirst()
            if let packet = next {
                defer { av_packet_free(&next) }
                try decode(packet, context)
                return
            }
            isReplaying = false
        }
        guard try read(packet) else {
            isDraining = true
            avcodec_send_packet(context, nil)
            return
        }
        defer { av_packet_unref(packet) }
        guard packet.pointee.stream_index == input.video.pointee.index else {
            if let sound = input.audio, let time = Self.microseconds(packet.pointee.pts, sound) {
                soundEnd = max(soundEnd ?? time, time)
            }
            try other(packet)
            return
        }
        switch step(packet) {
        case .decode: try decode(packet, context)
        case .leave: break
        case .keep: try kept.append(packet)
        case .restart:
            kept.removeAll()
            try kept.append(packet)
        case .glance:
            kept.removeAll()
            try kept.append(packet)
            avcodec_flush_buffers(context)
            glance = (true, false)
            try decode(packet, context)
            // Without flushing, the picture would come with the next packet.
            avcodec_send_packet(context, nil)
        case .wake:
            try kept.append(packet)
            floor = Self.microseconds(packet.pointee.pts, input.video)
            avcodec_flush_buffers(context)
            isReplaying = true
        }
    }

    private func decode(
        _ packet: UnsafeMutablePointer<AVPacket>, _ context: UnsafeMutablePointer<AVCodecContext>
    ) throws(VideoError) {
        let sent = avcodec_send_packet(context, packet)
        if sent < 0, sent != menagerie_ff_error(EAGAIN) { try countDamage(sent) }
    }

    private func step(_ packet: UnsafeMutablePointer<AVPacket>) -> PacketDoze.Step {
        guard doze != nil else { return .decode }
        let none = menagerie_ff_no_time()
        let time = packet.pointee.dts == none ? packet.pointee.pts : packet.pointee.dts
        guard let time = Self.microseconds(time, input.video) else { return .decode }
        return doze?.step(
            PacketDoze.Packet(
                bytes: Int(packet.pointee.size), isKey: packet.pointee.flags & AV_PKT_FLAG_KEY != 0,
                time: Double(time) / 1_000_000)) ?? .decode
    }

    private func countDamage(_ code: Int32) throws(VideoError) {
        if FFmpegError.isMemory(code) { throw .overLimit("memory") }
        if let context { try VideoInput.check(context.pointee.width, context.pointee.height, limits) }
        ending.damaged += 1
        damagedInARow += 1
        guard damagedInARow > Self.patience else { return }
        isOver = true
        ending.isTruncated = true
    }

    /// Nil for a picture that is out of order, which occurs in damaged files.
    private func time(of frame: UnsafeMutablePointer<AVFrame>) throws(VideoError) -> Int64? {
        try VideoInput.check(frame.pointee.width, frame.pointee.height, limits)
        let known = Self.microseconds(frame.pointee.best_effort_timestamp, input.video)
        let absolute = known ?? ((start ?? 0) + lastTime + (lastTime < 0 ? 1 : input.info.interval))
        if start == nil { start = absolute }
        if let floor, absolute < floor { return nil }
        let time = absolute - (start ?? 0)
        guard time > lastTime else {
            if time < lastTime { ending.damaged += 1 }
            return nil
        }
        lastTime = time
        let seconds = Double(time) / 1_000_000
        guard seconds <= limits.duration else { throw .tooLong(seconds: seconds, limit: limits.duration) }
        return time
    }

    /// Nil if the file gives no time, or one so large that arithmetic would overflow.
    private static func microseconds(_ time: Int64, _ stream: UnsafeMutablePointer<AVStream>) -> Int64? {
        microseconds(time, stream.pointee.time_base)
    }

    static func microseconds(_ time: Int64, _ base: AVRational) -> Int64? {
        guard time != menagerie_ff_no_time() else { return nil }
        let microseconds = av_rescale_q(time, base, menagerie_ff_microseconds())
        return microseconds.magnitude < 1 << 60 ? microseconds : nil
    }
}
