import Base
package import Imaging

/// What a worker is to do with the video that it is handed.
package enum WorkerCommand: Sendable, Codable, Hashable {
    /// To say what kind of video it is.
    case probe
    /// To show its pictures, so many a second (nil: all), within a square of so many pixels (nil: as they are).
    case frames(every: Double?, side: Int?)
    /// To show the one picture that is in sight at a time, in microseconds since the first.
    case frame(time: Int64, side: Int?)
    /// To write it anew, with what ``VideoDrawing`` says drawn into its pictures, within a square of so many pixels.
    case annotate(side: Int)
    /// To show the newest picture of a camera on the network or of a device whenever it is asked for one. On the command line
    /// the address is empty: the worker finds it at ``WorkerDescriptor/input``.
    case live(address: String, every: Double?, side: Int?)
    /// To watch a camera for what moves there, or a film that stands in for one (nil): its pictures, so many a second while
    /// something moves outside the regions that are ignored, and one a second at most while nothing does.
    case watch(address: String?, every: Double, side: Int, ignoring: [PictureRegion])

    /// Where the camera is; nil for what is handed over as an open file.
    var address: String? {
        switch self {
        case .live(let address, _, _): address
        case .watch(let address, _, _, _): address
        case .probe, .frames, .frame, .annotate: nil
        }
    }

    /// The same for a camera at another address.
    func at(_ address: String) -> WorkerCommand {
        switch self {
        case .live(_, let every, let side): .live(address: address, every: every, side: side)
        case .watch(.some, let every, let side, let ignored):
            .watch(address: address, every: every, side: side, ignoring: ignored)
        case .probe, .frames, .frame, .annotate, .watch: self
        }
    }

    /// Whether it is given all of a file rather than what a camera shows now.
    var isFile: Bool {
        if case .live(let address, _, _) = self {
            !address.contains("://") && !address.hasPrefix("/dev/")
        } else {
            true
        }
    }

    /// Whether it has to reach what the user has named.
    var opensAddress: Bool { address != nil }
}

/// A worker's command and what it may take; its one argument on the command line, as JSON.
package struct WorkerOrder: Sendable, Codable, Hashable {
    package var command: WorkerCommand
    package var limits: VideoLimits
    /// Threads that decode; 0: one for each core.
    package var threads: Int32

    package init(command: WorkerCommand, limits: VideoLimits, threads: Int32 = 0) {
        self.command = command
        self.limits = limits
        self.threads = threads
    }
}

extension WorkerOrder {
    /// The longer side of the pictures that it sends, in pixels; nil: that of the video's.
    var side: Int? {
        switch command {
        case .frames(_, let side), .frame(_, let side), .live(_, _, let side): side
        case .watch(_, _, let side, _): side
        case .probe, .annotate: 0
        }
    }

    /// Of a worker that looks into a file nothing is needed of the world outside.
    var sandbox: Sandbox {
        let writes = if case .annotate = command { true } else { false }
        let reachesOut = command.opensAddress
        return Sandbox(
            reach: reachesOut ? .network : .nothing, demand: reachesOut ? .best : limits.sandbox, memory: limits.memory,
            // A camera is watched for as long as somebody wants to.
            processorTime: reachesOut ? nil : limits.processorTime, fileBytes: writes ? limits.outputBytes : 0)
    }
}

/// The descriptors that a worker finds open.
package enum WorkerDescriptor {
    /// The video, for reading; the address of a camera.
    package static let input: CInt = 0
    /// Where it writes its messages.
    package static let messages: CInt = HelperProcess.messages
    /// The drawing, for reading; only for `annotate`.
    package static let drawing: CInt = 3
    /// The file that it writes; only for `annotate`.
    package static let output: CInt = 4
}
