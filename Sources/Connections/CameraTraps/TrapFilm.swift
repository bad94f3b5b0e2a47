package import Base
import Foundation
import Imaging
package import Recognition
package import Video

/// Looks at the films of camera traps as at photos, a few pictures a second.
package struct TrapFilm: Sendable {
    /// Longer side of the pictures, in pixels: what is far away is searched for in parts of them.
    private static let side = 1600
    /// Pictures a second of a file that does not say.
    private static let usualRate = 25.0

    private let watcher: PhotoWatcher
    private let every: Double
    private let limits: VideoLimits
    private let program: HelperProgram
    private let encoder = PhotoEncoder()

    /// - Parameter every: pictures a second that are looked at.
    package init(watcher: PhotoWatcher, every: Double, limits: VideoLimits, program: HelperProgram = .current) {
        self.watcher = watcher
        self.every = every
        self.limits = limits
        self.program = program
    }

    /// What the pictures of a file show.
    ///
    /// - Throws: `VideoError`, `RecognitionError`, or `CancellationError`.
    package func entry(_ path: String) async throws -> TrapEntry {
        guard let file = FileHandle(forReadingAtPath: path) else { throw VideoError.system("it cannot be opened") }
        defer { try? file.close() }
        let order = WorkerOrder(command: .frames(every: every, side: Self.side), limits: limits, threads: 1)
        let reader = try await VideoReader.open(order, program: program, input: file.fileDescriptor)
        defer { reader.cancel() }
        var entry = TrapEntry(film: path, frameRate: reader.info.framesPerSecond ?? Self.usualRate)
        while true {
            switch try await reader.next() {
            case .frame(let frame):
                entry.add(
                    try await watcher.things(in: try encoder.storedCopy(of: frame.picture), options: .cameraTrap),
                    at: Double(frame.time) / 1_000_000)
            case .progress: continue
            case .end: return entry
            }
        }
    }
}

extension DetectionOptions {
    /// How closely pictures of camera traps are looked at.
    package static let cameraTrap = DetectionOptions(
        threshold: TrapResults.leastConfidence, limit: 100, tiles: .automatic, priority: .bulk)
}
