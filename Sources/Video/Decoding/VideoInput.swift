import Base
import CFFmpeg
import CSystemCalls
import Glibc
import Imaging

/// An opened container and its relevant streams. Not sendable: it stays on the thread that decodes.
final class VideoInput {
    enum Source {
        /// An open file. Nothing else is read, whatever the file refers to.
        case descriptor(CInt)
        /// An address from a user: a network camera, a device, a file.
        case address(String, format: String?)
    }

    let format: UnsafeMutablePointer<AVFormatContext>
    let video: UnsafeMutablePointer<AVStream>
    let audio: UnsafeMutablePointer<AVStream>?
    let info: VideoInfo
    /// Whether the clock may begin anew: that of a camera, and those of a film that was joined by appending files.
    let restartsClock: Bool
    private let io: DescriptorIO?

    /// Containers that hold their own content. Playlists (hls, dash, concat) and generators (lavfi) are left out.
    private static let containers =
        "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,gif,mpegts,mpeg,mpegvideo,flv,ogg,asf,m4v,h264,hevc,ivf,obu,mjpeg"

    /// The video codecs that are decoded, by FFmpeg's names.
    private static let pictureCodecs =
        "h264,hevc,vp8,vp9,libdav1d,libaom-av1,av1,mpeg4,mjpeg,gif,mpeg1video,mpeg2video,mpegvideo,h263,flv,theora,"
        + "msmpeg4,msmpeg4v2,prores,rawvideo,png"
    private static let soundCodecs =
        "aac,mp3float,mp3,mp2float,mp2,ac3,eac3,opus,libopus,vorbis,libvorbis,flac,alac,amrnb,amrwb,pcm_s16le,pcm_s16be,"
        + "pcm_u8,pcm_s24le,pcm_s32le,pcm_f32le,pcm_mulaw,pcm_alaw,adpcm_ms,adpcm_ima_wav,adpcm_ima_qt"

    static let codecs = pictureCodecs + "," + soundCodecs
    /// Seconds that a camera may take to answer.
    private static let patience = 10

    init(_ source: Source, limits: VideoLimits) throws(VideoError) {
        guard var context = avformat_alloc_context() else { throw .overLimit("memory") }
        var options: OpaquePointer?
        defer { av_dict_free(&options) }
        var name: String?
        var forced: UnsafePointer<AVInputFormat>?
        switch source {
        case .descriptor(let descriptor):
            if menagerie_file_size(descriptor) == 0 {
                avformat_free_context(context)
                throw .empty
            }
            io = try DescriptorIO(descriptor)
            context.pointee.pb = io?.context
            context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
            context.pointee.io_open = { _, _, _, _, _ in menagerie_ff_error(EPERM) }
            av_dict_set(&options, "format_whitelist", Self.containers, 0)
            av_dict_set(&options, "protocol_whitelist", "none", 0)
        case .address(let address, let wanted):
            io = nil
            name = address
            if let wanted { forced = av_find_input_format(wanted) }
            av_dict_set(&options, "protocol_whitelist", VideoAddress.protocols(for: address), 0)
            if address.hasPrefix("rtsp") { av_dict_set(&options, "rtsp_transport", "tcp", 0) }
            av_dict_set(&options, "timeout", "\(Self.patience)000000", 0)
        }
        av_dict_set(&options, "codec_whitelist", Self.codecs, 0)
        context.pointee.max_analyze_duration = 5_000_000
        context.pointee.max_streams = 64
        context.pointee.max_probe_packets = 2500
        var opened: UnsafeMutablePointer<AVFormatContext>? = context
        let begin = ContinuousClock.now
        let code = avformat_open_input(&opened, name, forced, &options)
        guard code >= 0, let opened else {
            // FFmpeg has already freed the context.
            if case .address(let address, let format) = source {
                // Of an RTSP camera that is silent FFmpeg says that its data are invalid.
                let isSilent = ContinuousClock.now - begin >= .seconds(Self.patience)
                let reason =
                    isSilent
                    ? "no answer for \(Self.patience) s"
                    : format == nil ? FFmpegError.text(code) : FFmpegError.deviceText(code)
                throw .unreachable("\(VideoAddress.shown(address)) cannot be opened: \(reason).")
            }
            if FFmpegError.isMemory(code) { throw .overLimit("memory") }
            throw io?.beginsLikeMP4 == true
                ? .corrupt("its index is missing, as in a recording that was cut off.") : .notAVideo
        }
        context = opened
        format = context
        restartsClock = io == nil || context.pointee.iformat.pointee.flags & AVFMT_TS_DISCONT != 0
        // FFmpeg would take a clock that begins anew for one that has overflowed, 26 hours later.
        if restartsClock { context.pointee.correct_ts_overflow = 0 }
        if case .address = source { Self.giveTimes(context) }
        do throws(VideoError) {
            // The sizes are checked before a decoder is opened.
            for index in 0..<Int(context.pointee.nb_streams) {
                guard let parameters = context.pointee.streams[index]?.pointee.codecpar else { continue }
                try Self.check(parameters.pointee.width, parameters.pointee.height, limits)
            }
            if case .address = source { try Self.checkFirstPicture(context, limits) }
            let found = avformat_find_stream_info(context, nil)
            guard found >= 0 else {
                throw FFmpegError.isMemory(found) ? .overLimit("memory") : .corrupt(FFmpegError.text(found) + ".")
            }
            video = try Self.pictures(in: context)
            let best = av_find_best_stream(context, AVMEDIA_TYPE_AUDIO, -1, video.pointee.index, nil, 0)
            audio = best >= 0 ? context.pointee.streams[Int(best)] : nil
            info = try Self.info(context, video, audio, limits)
        } catch {
            var closing: UnsafeMutablePointer<AVFormatContext>? = context
            avformat_close_input(&closing)
            throw error
        }
        for index in 0..<Int(context.pointee.nb_streams) {
            guard let stream = context.pointee.streams[index] else { continue }
            stream.pointee.discard = stream == video ? AVDISCARD_DEFAULT : AVDISCARD_ALL
        }
        // The duration that these files state is that of their longest stream, which the sound may be.
        if io != nil, ["flv", "mpeg", "mpegts"].contains(info.container) { keepSound() }
    }

    deinit {
        var closing: UnsafeMutablePointer<AVFormatContext>? = format
        avformat_close_input(&closing)
    }

    /// Whether the container gives times. One that does not, such as raw H.264, has no index either, and its pictures
    /// have to be counted.
    var isTimed: Bool { video.pointee.start_time != menagerie_ff_no_time() }

    /// Whether every picture can be decoded alone.
    var isIntraOnly: Bool {
        guard let codec = avcodec_descriptor_get(video.pointee.codecpar.pointee.codec_id) else { return false }
        return codec.pointee.props & Int32(AV_CODEC_PROP_INTRA_ONLY) != 0
    }

    /// Whether a network camera answers with a single picture, to FFmpeg `jpeg_pipe`, or `image2` by the address.
    var isSnapshot: Bool {
        let name = String(cString: format.pointee.iformat.pointee.name)
        return io == nil && (name == "image2" || name.hasSuffix("_pipe"))
    }

    /// Uses the wall clock for streams without times. FFmpeg would otherwise assume 25 pictures a second.
    private static func giveTimes(_ context: UnsafeMutablePointer<AVFormatContext>) {
        let format = context.pointee.iformat.pointee
        let isUntimed = format.flags & AVFMT_NOTIMESTAMPS != 0 || String(cString: format.name) == "mpjpeg"
        if isUntimed { context.pointee.use_wallclock_as_timestamps = 1 }
    }

    /// Makes the demuxer deliver the packets of the sound, too.
    func keepSound() { audio?.pointee.discard = AVDISCARD_DEFAULT }

    private static func pictures(
        in context: UnsafeMutablePointer<AVFormatContext>
    ) throws(VideoError) -> UnsafeMutablePointer<AVStream> {
        var best: UnsafeMutablePointer<AVStream>?
        var unknown: String?
        for index in 0..<Int(context.pointee.nb_streams) {
            guard let stream = context.pointee.streams[index], let parameters = stream.pointee.codecpar,
                parameters.pointee.codec_type == AVMEDIA_TYPE_VIDEO,
                stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC == 0
            else { continue }
            guard PictureDecoder.codec(for: parameters.pointee.codec_id) != nil else {
                unknown = String(cString: avcodec_get_name(parameters.pointee.codec_id))
                continue
            }
            let area = { (stream: UnsafeMutablePointer<AVStream>) in
                Int(stream.pointee.codecpar.pointee.width) * Int(stream.pointee.codecpar.pointee.height)
            }
            if best.map({ area($0) < area(stream) }) ?? true { best = stream }
        }
        if let best { return best }
        if let unknown { throw .unsupportedCodec(unknown) }
        throw .noPictures
    }

    /// Refuses motion JPEG of a network camera by the header of its first picture. FFmpeg drops pictures that are too
    /// large for it without telling their size, and waits long for others.
    private static func checkFirstPicture(
        _ context: UnsafeMutablePointer<AVFormatContext>, _ limits: VideoLimits
    ) throws(VideoError) {
        guard ["mpjpeg", "rtsp"].contains(String(cString: context.pointee.iformat.pointee.name)),
            context.pointee.nb_streams == 1, let parameters = context.pointee.streams[0]?.pointee.codecpar,
            parameters.pointee.codec_id == AV_CODEC_ID_MJPEG, parameters.pointee.width == 0
        else { return }
        var packet = av_packet_alloc()
        defer { av_packet_free(&packet) }
        guard let packet, av_read_frame(context, packet) >= 0 else { return }
        let bytes = Array(UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size)))
        guard bytes.starts(with: [0xFF, 0xD8]) else { return }
        do throws(ImagingError) {
            _ = try ImageSource(
                bytes, limits: ImageLimits(maximumPixels: limits.pixels, maximumBufferedPixels: limits.pixels))
        } catch {
            guard case .tooManyPixels(let width, let height, let limit) = error else { return }
            throw .tooManyPixels(width: width, height: height, limit: limit)
        }
    }

    private static func info(
        _ context: UnsafeMutablePointer<AVFormatContext>, _ video: UnsafeMutablePointer<AVStream>,
        _ audio: UnsafeMutablePointer<AVStream>?, _ limits: VideoLimits
    ) throws(VideoError) -> VideoInfo {
        let parameters = video.pointee.codecpar.pointee
        guard parameters.width > 0, parameters.height > 0 else {
            throw .corrupt("it does not say how large its pictures are.")
        }
        try check(parameters.width, parameters.height, limits)
        let none = menagerie_ff_no_time()
        var duration: Double?
        // What FFmpeg says of a track of Matroska is the duration of the whole container.
        if !isMatroska(context), video.pointee.duration != none, video.pointee.duration > 0 {
            duration = Double(video.pointee.duration) * av_q2d(video.pointee.time_base)
        } else if context.pointee.duration != none, context.pointee.duration > 0 {
            duration = Double(length(context, video)) / Double(AV_TIME_BASE)
        }
        if let known = duration, !known.isFinite || known <= 0 { duration = nil }
        if let duration, duration > limits.duration { throw .tooLong(seconds: duration, limit: limits.duration) }
        let rate = av_q2d(video.pointee.avg_frame_rate)
        let framesPerSecond = rate.isFinite && rate > 0 && rate < VideoInfo.ratesBelow ? rate : nil
        var frames = video.pointee.nb_frames > 0 ? Int(clamping: video.pointee.nb_frames) : nil
        if let said = frames, Double(said) > limits.duration * VideoInfo.ratesBelow { frames = nil }
        if frames == nil, let duration, let framesPerSecond {
            frames = Int(clamping: (duration * framesPerSecond).rounded())
        }
        let orientation = Orientation(of: video)
        let size = PictureSize(
            width: Int(parameters.width), height: Int(parameters.height),
            aspect: av_q2d(av_guess_sample_aspect_ratio(context, video, nil)), orientation: orientation)
        return VideoInfo(
            width: size.width, height: size.height,
            container: context.pointee.iformat.pointee.name.map { Self.container(String(cString: $0)) } ?? "",
            codec: String(cString: avcodec_get_name(parameters.codec_id)),
            audioCodec: audio.map { String(cString: avcodec_get_name($0.pointee.codecpar.pointee.codec_id)) },
            orientation: orientation, duration: duration, framesPerSecond: framesPerSecond, frames: frames)
    }

    /// The duration of a container in microseconds. FFmpeg's Matroska files state the time of their end instead, which
    /// for a piece of a longer recording is much later. A tag has that of the pictures, where the sound is longer.
    private static func length(
        _ context: UnsafeMutablePointer<AVFormatContext>, _ video: UnsafeMutablePointer<AVStream>
    ) -> Int64 {
        let (start, whole) = (context.pointee.start_time, context.pointee.duration)
        var shown: Int64 = 0
        let tag = av_dict_get(video.pointee.metadata, "DURATION", nil, AV_DICT_IGNORE_SUFFIX)?.pointee.value
        let end = tag != nil && av_parse_time(&shown, tag, 1) >= 0 && shown > 0 ? min(shown, whole) : whole
        return isMatroska(context) && start > 0 && start < end ? end - start : end
    }

    private static func isMatroska(_ context: UnsafeMutablePointer<AVFormatContext>) -> Bool {
        context.pointee.iformat.pointee.name.map { String(cString: $0).hasPrefix("matroska") } ?? false
    }

    /// The container's name. FFmpeg names families: `mov,mp4,m4a,3gp,3g2,mj2`.
    private static func container(_ name: String) -> String {
        let names = name.split(separator: ",").map(String.init)
        return names.contains("mp4") ? "mp4" : names.first ?? name
    }

    static func check(_ width: Int32, _ height: Int32, _ limits: VideoLimits) throws(VideoError) {
        let (area, isOver) = Int(width).multipliedReportingOverflow(by: Int(height))
        guard !isOver, area <= limits.pixels else {
            throw .tooManyPixels(width: Int(width), height: Int(height), limit: limits.pixels)
        }
    }
}

enum FFmpegError {
    static func text(_ code: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        guard av_strerror(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
        return String(writtenInto: buffer)
    }

    /// Why a camera of this machine cannot be opened, as Video4Linux has it.
    static func deviceText(_ code: Int32) -> String {
        switch code {
        case menagerie_ff_error(ENOENT), menagerie_ff_error(ENXIO): "there is no such camera"
        case menagerie_ff_error(EACCES): "the user of the service has to be in the group “video”"
        case menagerie_ff_error(EBUSY): "another program uses the camera"
        case menagerie_ff_error(ENOTTY), menagerie_ff_error(ENODEV), menagerie_ff_error(ENOSYS):
            "it is not a camera that shows pictures"
        default: text(code)
        }
    }

    static func isMemory(_ code: Int32) -> Bool { code == menagerie_ff_error(ENOMEM) }
}
