package import Recognition

/// Shows a model frames one after the other, as a camera would, and logs what each takes.
package struct FrameBenchmark: Sendable {
    /// Frames to log.
    package let frames: Int
    /// Frames a second that the camera gives.
    package let rate: Double
    /// Frames before the first that is logged.
    package let warmUp: Int

    package init(frames: Int, rate: Double, warmUp: Int = 10) {
        self.frames = frames
        self.rate = rate
        self.warmUp = warmUp
    }

    /// - Parameters:
    ///   - photos: the frames as files, shown again and again.
    ///   - progress: called with the number of frames that are logged.
    /// - Throws: ``RecognitionError``, `ImagingError` for a photo that cannot be read.
    package func run(
        _ recogniser: Recogniser, model: String, photos: [[UInt8]], progress: (Int) -> Void = { _ in }
    ) async throws -> FrameLog {
        precondition(!photos.isEmpty, "a camera shows something")
        for number in 0..<warmUp { _ = try await recogniser.classify(photos[number % photos.count], model: model) }
        var clock = FrameClock(rate: rate)
        var log = FrameLog(model: model)
        log.frames.reserveCapacity(frames)
        for number in 0..<frames {
            let start = ContinuousClock.now
            _ = try await recogniser.classify(photos[number % photos.count], model: model)
            let elapsed = (ContinuousClock.now - start).seconds
            log.frames.append(
                FrameLog.Frame(elapsed: elapsed, memory: ResidentMemory.bytes, dropped: clock.work(seconds: elapsed)))
            progress(number + 1)
        }
        return log
    }
}
