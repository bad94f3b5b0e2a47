import Base
import Foundation
import Imaging
package import Recognition
package import Video

/// Analyses a camera trap's film as a series of photos, a few per second.
package struct TrapFilm: Sendable {
    /// The longer side of the pictures, in pixels. It is large, since tiles of them are searched for distant animals.
    private static let side = 1600
    /// The frame rate of a file that does not state one.
    private static let usualRate = 25.0

    private let watcher: PhotoWatcher
    private let every: Double
    private let limits: VideoLimits
    private let encoder = PhotoEncoder()

    /// - Parameter every: the number of analysed pictures per second.
    package init(watcher: PhotoWatcher, every: Double, limits: VideoLimits) {
        self.watcher = watcher
        self.every = every
        self.limits = limits
    }

    /// Analyses the pictures of a film.
    ///
    /// - Throws: `VideoError`, `RecognitionError`, or `CancellationError`.
    package func entry(_ path: String) async throws -> TrapEntry {
        guard let file = FileHandle(forReadingAtPath: path) else { throw VideoError.system("it cannot be opened") }
        defer { try? file.close() }
        let order = WorkerOrder(command: .frames(every: every, side: Self.side), limits: limits, threads: 1)
        let reader = try await VideoReader.open(order, program: .current, input: file.fileDescriptor)
        defer { reader.cancel() }
        var entry = TrapEntry(film: path, frameRate: reader.info.framesPerSecond ?? Self.usualRate)
        while true {
            switch try await reader.next() {
            case .frame(let frame):
                let picture = try encoder.storedCopy(of: frame.picture)
                entry.add(
                    try await Recogniser.patiently { try await watcher.things(in: picture, options: .cameraTrap) },
                    at: Double(frame.time) / 1_000_000)
            case .progress: continue
            case .end: return entry
            }
        }
    }
}

extension DetectionOptions {
    package static let cameraTrap = DetectionOptions(
        threshold: TrapResults.leastConfidence, limit: 100, tiles: .automatic, priority: .bulk)
}
