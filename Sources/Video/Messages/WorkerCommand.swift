import Base
import Glibc
package import Imaging

/// A command for a worker about the video that it receives.
package enum WorkerCommand: Sendable, Codable, Hashable {
    /// Describe the video.
    case probe
    /// Send its pictures, `every` a second (nil: all), within a square of `side` pixels (nil: as they are).
    case frames(every: Double?, side: Int?)
    /// Send the picture in sight at a time, in microseconds since the first.
    case frame(time: Int64, side: Int?)
    /// Write a copy with a ``VideoDrawing`` in its pictures, within a square of `side` pixels.
    case annotate(side: Int)
    /// Send the newest picture of a network camera or a device on every request. On the command line the address is
    /// empty, and the worker reads it from ``WorkerDescriptor/input``.
    case live(address: String, every: Double?, side: Int?)
    /// Watch a camera, or a film in its place (nil), for motion outside the ignored regions. While something moves
    /// there, send `every` pictures a second, otherwise at most one a second.
    case watch(address: String?, every: Double, side: Int, ignoring: [PictureRegion])

    /// The address of the camera. Nil for an open file.
    var address: String? {
        switch self {
        case .live(let address, _, _): address
        case .watch(let address, _, _, _): address
        case .probe, .frames, .frame, .annotate: nil
        }
    }

    /// The same command for another address.
    func at(_ address: String) -> WorkerCommand {
        switch self {
        case .live(_, let every, let side): .live(address: address, every: every, side: side)
        case .watch(.some, let every, let side, let ignored):
            .watch(address: address, every: every, side: side, ignoring: ignored)
        case .probe, .frames, .frame, .annotate, .watch: self
        }
    }

    /// Whether the worker gets a whole file rather than live pictures.
    var isFile: Bool {
        if case .live(let address, _, _) = self {
            !address.contains("://") && !FileSystem.isDevice(address)
        } else {
            true
        }
    }

    /// Whether the worker must reach a user's address.
    var opensAddress: Bool { address != nil }
}

/// A worker's command with its limits. It is the only argument on the command line, as JSON.
package struct WorkerOrder: Sendable, Codable, Hashable {
    package var command: WorkerCommand
    package var limits: VideoLimits
    /// The number of decoding threads. 0 means one for each core.
    package var threads: Int32

    package init(command: WorkerCommand, limits: VideoLimits, threads: Int32 = 0) {
        self.command = command
        self.limits = limits
        self.threads = threads
    }
}

extension WorkerOrder {
    /// The longer side of the sent pictures, in pixels. Nil keeps the video's size.
    var side: Int? {
        switch command {
        case .frames(_, let side), .frame(_, let side), .live(_, _, let side): side
        case .watch(_, _, let side, _): side
        case .probe, .annotate: 0
        }
    }

    /// The sandbox of the worker. A worker that reads a file needs nothing from outside.
    var sandbox: Sandbox {
        let writes = if case .annotate = command { true } else { false }
        let reachesOut = command.opensAddress
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
