import CFFmpeg
import Glibc
import Imaging

extension VideoWorker {
    /// The time to go on after the last motion, in microseconds of the stream.
    private static let linger: Int64 = 3_000_000
    /// The time between two pictures while nothing moves, in microseconds.
    private static let stillness: Int64 = 1_000_000

    /// The most pictures that are fetched a second from an address with a single picture.
    private static let snapshotRate = 2.0

    /// Sends a camera's pictures while something moves there, and one now and then while nothing does. If the address
    /// has a single picture, that is fetched again and again.
    static func watch(
        _ order: WorkerOrder, every: Double, side: Int, ignoring: [PictureRegion]
    ) throws(VideoError) {
        let source = try source(order.address)
        let begin = ContinuousClock.now
        var asked = begin
        var input = try VideoInput(source, limits: order.limits)
        try send(.info(input.info))
        let scaler = CameraScaler(orientation: input.info.orientation, side: side)
        var gate = MotionGate(ignoring: ignoring)
        var sampler = FrameSampler(rate: every)
        var pulse = Pulse()
        var (moved, sent) = (-Self.linger, -Self.stillness)
        while true {
            let decoder = try PictureDecoder(input, limits: order.limits, threads: order.threads)
            if !input.isSnapshot { decoder.doze = PacketDoze(looksPerSecond: every, isIntraOnly: input.isIntraOnly) }
            while let (frame, shown) = try decoder.next() {
                let time = input.isSnapshot ? Int64((asked - begin) / .microseconds(1)) : shown
                guard sampler.takes(time) else {
                    if pulse.isDue { try send(.progress(time)) }
                    continue
                }
                let sketch: PixelBuffer
                if let stored = BrightnessSketch.picture(of: frame) {
                    sketch = input.info.orientation.upright(stored)
                } else {
                    sketch = try scaler.picture(frame)
                }
                if gate.moves(sketch) { moved = time }
                let isLively = time - moved <= linger
                decoder.doze?.isStill = !isLively
                guard isLively || time - sent >= stillness else {
                    if pulse.isDue { try send(.progress(time)) }
                    continue
                }
                sent = time
                try send(.frame(VideoFrame(time: time, picture: try scaler.picture(frame), isLively: isLively)))
                pulse.restart()
            }
            if let reason = decoder.interruption, order.address != nil {
                throw .unreachable("The camera sends nothing any more: \(reason).")
            }
            guard input.isSnapshot else { return try send(.end(decoder.ending)) }
            let pause = asked + .seconds(1 / min(every, snapshotRate)) - .now
            usleep(useconds_t(max(0, pause / .microseconds(1))))
            asked = .now
            input = try VideoInput(source, limits: order.limits)
        }
    }
}
