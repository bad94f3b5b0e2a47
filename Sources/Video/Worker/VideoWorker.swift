import Base
import CFFmpeg
import Foundation
import Glibc
import Imaging

/// The process that decodes. It gets one open file, reports through a pipe, and can do little else, because a decoder
/// may be vulnerable to hostile bytes.
package enum VideoWorker {
    /// The time between two signs of life, in seconds.
    private static let pulse = 0.5

    /// The longest stretch that is decoded rather than skipped, in microseconds.
    private static let shortest: Int64 = 2_000_000

    /// The program's command that runs a worker.
    package static let command = "video-worker"

    /// The exit status without a valid order.
    static let misuse: Int32 = 64

    /// The whole life of the process. No thread may have been started before.
    ///
    /// - Parameter order: a ``WorkerOrder`` as JSON.
    /// - Returns: the exit status.
    package static func run(order text: String) -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        guard var order = try? JSONDecoder().decode(WorkerOrder.self, from: Data(text.utf8)) else { return misuse }
        if order.address != nil {
            let address = WorkerDescriptor.read(WorkerDescriptor.input, upTo: VideoAddress.longest)
            order.address = String(decoding: address, as: UTF8.self)
            order.limits.duration = .infinity
        }
        av_log_set_level(AV_LOG_QUIET)
        do throws(VideoError) {
            try lock(order.sandbox)
            try work(order)
            return 0
        } catch {
            try? send(.failure(error))
            return 1
        }
    }

    private static func lock(_ sandbox: Sandbox) throws(VideoError) {
        do throws(ProcessError) {
            try sandbox.lock(
                try sandbox.enter(messages: WorkerDescriptor.messages, closingFrom: WorkerDescriptor.output + 1))
        } catch {
            throw .system(error.description)
        }
    }

    private static func work(_ order: WorkerOrder) throws(VideoError) {
        switch order.command {
        case .probe:
            let input = try VideoInput(.descriptor(WorkerDescriptor.input), limits: order.limits)
            try send(.info(input.info))
            try send(.end(VideoEnding()))
        case .frames(let every, let side):
            try showFrames(order, every: every, side: side)
        case .watch(let every, let side, let ignored):
            try watch(order, every: every, side: side, ignoring: ignored)
        case .frame(let time, let side):
            try showFrame(order, at: time, side: side)
        case .annotate(let side):
            try annotate(order, side: side)
        }
    }

    static func source(_ address: String?) throws(VideoError) -> VideoInput.Source {
        guard let address else { return .descriptor(WorkerDescriptor.input) }
        guard FileSystem.isDevice(address) else { return .address(address, format: nil) }
        try Devices.load()
        return .address(address, format: "video4linux2")
    }

    private static func showFrames(_ order: WorkerOrder, every: Double?, side: Int?) throws(VideoError) {
        let input = try VideoInput(try source(order.address), limits: order.limits)
        try send(.info(input.info))
        // If few pictures are analysed, those that no other picture needs are skipped: their neighbours do as well.
        let isSparse =
            order.address == nil && input.isTimed
            && every.map { (input.info.framesPerSecond ?? 0) >= 2 * $0 } ?? false
        let decoder = try PictureDecoder(
            input, limits: order.limits, threads: order.threads, skipsUnreferenced: isSparse)
        let isCamera = order.address.map { !VideoAddress.isFile($0) } ?? false
        let camera = isCamera ? CameraScaler(orientation: input.info.orientation, side: side) : nil
        let film = scaler(for: input.info, side: side)
        var sampler = FrameSampler(rate: every)
        var pulse = Pulse()
        while let (frame, time) = try decoder.next() {
            guard sampler.takes(time) else {
                if pulse.isDue { try send(.progress(time)) }
                continue
            }
            let picture = if let camera { try camera.picture(frame) } else { try film.picture(frame) }
            try send(.frame(VideoFrame(time: time, picture: picture)))
            pulse.restart()
        }
        try send(.end(decoder.ending))
    }

    /// Sends the last picture at or before the time, or the first picture for an earlier time.
    private static func showFrame(_ order: WorkerOrder, at time: Int64, side: Int?) throws(VideoError) {
        let input = try VideoInput(.descriptor(WorkerDescriptor.input), limits: order.limits)
        try send(.info(input.info))
        let decoder = try PictureDecoder(input, limits: order.limits, threads: order.threads)
        var candidate = FrameHolder()
        defer { candidate.free() }
        // The clock starts with the first picture, wherever the container's clock starts.
        guard let (first, start) = try decoder.next() else { throw .noFrame(milliseconds: Int(time / 1000)) }
        try candidate.hold(first, start)
        var pulse = Pulse()
        var target = time > shortest ? time : nil
        while let place = target,
            try decoder.seek(to: place, { () throws(VideoError) in if pulse.isDue { try send(.progress(0)) } })
        {
            candidate.free()
            guard let (frame, found) = try decoder.next() else { break }
            try candidate.hold(frame, found)
            // An index by the times of decoding may lead to a key picture that is shown too late.
            target = found > time && place > 0 ? max(0, place - shortest) : nil
        }
        let scaler = scaler(for: input.info, side: side)
        var isFollowed = false
        while candidate.time.map({ $0 < time }) ?? true, let (frame, found) = try decoder.next() {
            isFollowed = found > time && candidate.time != nil
            if isFollowed { break }
            try candidate.hold(frame, found)
            if pulse.isDue { try send(.progress(found)) }
        }
        var held: VideoFrame?
        if let frame = candidate.frame, let found = candidate.time {
            held = VideoFrame(time: found, picture: try scaler.picture(frame))
        }
        // A picture stays in sight until the next one, and the last for up to a second after it.
        guard let held, isFollowed || time - held.time <= 1_000_000 + input.info.interval else {
            throw .noFrame(milliseconds: Int(time / 1000))
        }
        try send(.frame(held))
        try send(.end(decoder.ending))
    }

    private static func annotate(_ order: WorkerOrder, side: Int) throws(VideoError) {
        let drawing = try VideoDrawing(descriptor: WorkerDescriptor.drawing)
        let input = try VideoInput(.descriptor(WorkerDescriptor.input), limits: order.limits)
        try send(.info(input.info))
        let decoder = try PictureDecoder(input, limits: order.limits, threads: order.threads)
        let scaler = scaler(for: input.info, side: side, isEven: true)
        input.keepSound()
        let writer = try VideoWriter(
            WorkerDescriptor.output, width: scaler.width, height: scaler.height,
            framesPerSecond: input.info.framesPerSecond, sound: input.audio)
        var pulse = Pulse()
        while let (frame, time) = try decoder.next({ (packet) throws(VideoError) in
            try writer.add(sound: packet, start: decoder.start)
        }) {
            let annotations = drawing.annotations(at: Int(clamping: (Double(time) / 1000).rounded()))
            let picture = try scaler.picture(frame)
            try writer.add(picture.annotated(annotations), at: time)
            if pulse.isDue { try send(.progress(time)) }
        }
        try writer.finish(start: decoder.start)
        var ending = decoder.ending
        ending.warnings += writer.warnings
        try send(.end(ending))
    }

    private static func scaler(for info: VideoInfo, side: Int?, isEven: Bool = false) -> PictureScaler {
        let scale = min(1, Double(side ?? .max) / Double(max(info.width, info.height)))
        func pixels(_ count: Int) -> Int {
            let scaled = Double(count) * scale
            return isEven ? max(2, Int(clamping: (scaled / 2).rounded()) * 2) : max(1, Int(clamping: scaled.rounded()))
        }
        return PictureScaler(width: pixels(info.width), height: pixels(info.height), orientation: info.orientation)
    }

    static func send(_ message: WorkerMessage) throws(VideoError) {
        let bytes = message.bytes
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { rest in
                FileSystem.retrying { write(WorkerDescriptor.messages, rest.baseAddress, rest.count) }
            }
            guard count > 0 else { throw .cancelled }
            sent += count
        }
    }

    struct Pulse {
        private var last = ContinuousClock.now

        var isDue: Bool {
            mutating get {
                guard (ContinuousClock.now - last) >= .seconds(VideoWorker.pulse) else { return false }
                last = .now
                return true
            }
        }

        mutating func restart() { last = .now }
    }
}

/// Keeps a decoded frame while the decoder goes on.
private struct FrameHolder {
    private(set) var frame: UnsafeMutablePointer<AVFrame>?
    private(set) var time: Int64?

    mutating func hold(_ other: UnsafeMutablePointer<AVFrame>, _ time: Int64) throws(VideoError) {
        free()
        guard let copy = av_frame_clone(other) else { throw .overLimit("memory") }
        frame = copy
        self.time = time
    }

    mutating func free() {
        av_frame_free(&frame)
        time = nil
    }
}

/// FFmpeg's library for local cameras. It depends on much that servers lack, so it is loaded on demand.
enum Devices {
    private static let names = ["libavdevice.so.59", "libavdevice.so.60", "libavdevice.so.61", "libavdevice.so.62"]

    static func load() throws(VideoError) {
        for name in names {
            guard let library = dlopen(name, RTLD_NOW | RTLD_GLOBAL) else { continue }
            guard let symbol = dlsym(library, "avdevice_register_all") else { continue }
            unsafeBitCast(symbol, to: (@convention(c) () -> Void).self)()
            return
        }
        throw .unreachable("Cameras of this machine need FFmpeg's library libavdevice, which is not installed.")
    }
}
