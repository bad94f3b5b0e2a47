import Base
import Glibc
package import Imaging

/// A command for a worker about the video or camera that it reads.
package enum WorkerCommand: Sendable, Codable, Hashable {
    /// Describe the video.
    case probe
    /// Send its pictures, `every` a second (nil: all), within a square of `side` pixels (nil: as they are).
    case frames(every: Double?, side: Int?)
    /// Send the picture in sight at a time, in microseconds since the first.
    case frame(time: Int64, side: Int?)
    /// Write a copy with a ``VideoDrawing`` in its pictures, within a square of `side` pixels.
    case annotate(side: Int)
    /// Watch a camera, or a film in its place, for motion outside the ignored regions. While something moves there, send
    /// `every` pictures a second, otherwise at most one a second.
    case watch(every: Double, side: Int, ignoring: [PictureRegion])
}

/// A worker's command with its limits. It is the only argument on the command line, as JSON.
package struct WorkerOrder: Sendable, Codable, Hashable {
    package var command: WorkerCommand
    /// The address of a camera, a device or a file to open. Nil for an open file. On the command line it is empty, and
    /// the worker reads it from ``WorkerDescriptor/input``.
    package var address: String?
    package var limits: VideoLimits
    /// The number of decoding threads. 0 means one for each core.
    package var threads: Int32

    package init(command: WorkerCommand, address: String? = nil, limits: VideoLimits, threads: Int32 = 0) {
        self.command = command
        self.address = address
        self.limits = limits
        self.threads = threads
    }
}

extension WorkerOrder {
    /// The longer side of the sent pictures, in pixels. Nil keeps the video's size.
    var side: Int? {
        switch command {
        case .frames(_, let side), .frame(_, let side): side
        case .watch(_, let side, _): side
        case .probe, .annotate: 0
        }
    }

    /// The sandbox of the worker. A worker that reads a file needs nothing from outside.
    var sandbox: Sandbox {
        let writes = if case .annotate = command { true } else { false }
        let reachesOut = address != nil
        return Sandbox(
            reach: reachesOut ? .network : .nothing, demand: reachesOut ? .best : limits.sandbox, memory: limits.memory,
            // A camera may be watched for any length of time.
            processorTime: reachesOut ? nil : limits.processorTime, fileBytes: writes ? limits.outputBytes : 0)
    }
}

/// The descriptors that a worker finds open.
package enum WorkerDescriptor {
    /// The video, or the address of a camera, for reading.
    package static let input: CInt = 0
    /// The pipe for the worker's messages.
    package static let messages: CInt = HelperProcess.messages
    /// The drawing, for reading. Only for `annotate`.
    package static let drawing: CInt = 3
    /// The output file. Only for `annotate`.
    package static let output: CInt = 4

    /// The bytes of a descriptor up to its end or the limit. The sandbox forbids calls that FileHandle makes.
    static func read(_ descriptor: CInt, upTo limit: Int = .max) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < limit {
            let wanted = min(buffer.count, limit - bytes.count)
            let count = FileSystem.retrying { Glibc.read(descriptor, &buffer, wanted) }
            guard count > 0 else { break }
            bytes += buffer.prefix(count)
        }
        return bytes
    }
}
