import Base
package import Foundation
import Imaging
package import Recognition

/// Shows frames to a model one by one, as a camera does, and logs the cost of each.
package struct FrameBenchmark: Sendable {
    /// The number of frames to log.
    package let frames: Int
    /// The camera's frames a second.
    package let rate: Double
    /// The number of frames before the first logged one.
    package let warmUp: Int

    /// - Parameter rate: above 0.
    package init(frames: Int, rate: Double, warmUp: Int = 10) {
        precondition(rate > 0, "a camera gives more than no frames")
        self.frames = frames
        self.rate = rate
        self.warmUp = warmUp
    }

    /// - Parameters:
    ///   - photos: the frames as files, shown again and again.
    ///   - progress: receives the number of frames logged so far.
    /// - Throws: ``RecognitionError``, `ImagingError` for a photo that cannot be read.
    package func run(
        _ recogniser: Recogniser, model: String, photos: [[UInt8]], progress: (Int) -> Void = { _ in }
    ) async throws -> FrameLog {
        precondition(!photos.isEmpty, "a camera shows something")
        for number in 0..<warmUp { _ = try await recogniser.classify(photos[number % photos.count], model: model) }
        var log = FrameLog(model: model)
        log.frames.reserveCapacity(frames)
        for number in 0..<frames {
            let start = ContinuousClock.now
            _ = try await recogniser.classify(photos[number % photos.count], model: model)
            let elapsed = (ContinuousClock.now - start).seconds
            log.frames.append(
                FrameLog.Frame(elapsed: elapsed, memory: ResidentMemory.bytes, dropped: dropped(in: elapsed)))
            progress(number + 1)
        }
        return log
    }

    /// The number of frames that come while one is in work for this time, in seconds. The next frame is the first to
    /// come after that.
    func dropped(in seconds: Double) -> Int {
        // Work that ends when a frame comes is in time for it, apart from rounding.
        max(0, Int(clamping: (seconds * rate - 1e-9).rounded(.up)) - 1)
    }
}

package enum PhotoFolder {
    /// At most `limit` photos, evenly spread over the sorted paths. They are the same every time.
    ///
    /// - Returns: an empty list if the folder is missing or has no photos.
    package static func files(in folder: URL, limit: Int) -> [URL] {
        guard let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else { return [] }
        let files = found.compactMap { $0 as? URL }.filter { ImageFormat.isPhoto(named: $0.lastPathComponent) }
            .sorted { $0.path < $1.path }
        guard files.count > limit else { return files }
        return (0..<limit).map { files[$0 * files.count / limit] }
    }
}
