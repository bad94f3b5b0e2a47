package import Base
import Imaging

/// Delivers the pictures of a video, one by one, from a worker process.
package final class VideoReader: Sendable {
    package let info: VideoInfo
    private let process: VideoProcess

    /// Starts a worker and waits for its description of the video.
    ///
    /// - Parameters:
    ///   - input: the video, open for reading. Nil for an address.
    package static func open(
        _ order: WorkerOrder, program: HelperProgram, input: CInt?, drawing: CInt? = nil, output: CInt? = nil
    ) async throws(VideoError) -> VideoReader {
        let process = try VideoProcess(order, program: program, input: input, drawing: drawing, output: output)
        while let message = try await process.next() {
            if case .info(let info) = message { return VideoReader(info: info, process: process) }
        }
        throw .system("the decoder said nothing")
    }

    private init(info: VideoInfo, process: VideoProcess) {
        self.info = info
        self.process = process
    }

    package enum Step: Sendable, Equatable {
        case frame(VideoFrame)
        /// The microseconds of the video done so far.
        case progress(Int64)
        case end(VideoEnding)
    }

    /// - Throws: ``VideoError``. After an error or the end, do not call it again.
    package func next() async throws(VideoError) -> Step {
        while let message = try await process.next() {
            switch message {
            case .frame(let frame): return .frame(frame)
            case .progress(let time): return .progress(time)
            case .end(let ending): return .end(ending)
            case .info, .failure: continue
            }
        }
        throw .system("the decoder stopped without a word")
    }

    /// The frames, each the newest. A frame replaces one that nobody has taken yet, so that answers are never about old
    /// frames. It is lively if the other one was, since nobody has seen what moved.
    ///
    /// - Parameter missed: is called for each frame that nobody took.
    package func newestFrames(
        missed: @escaping @Sendable () -> Void = {}
    ) -> some AsyncSequence<VideoFrame, any Error> {
        let newest = Locked<VideoFrame?>(nil)
        let arrivals = AsyncThrowingStream<Void, any Error>(bufferingPolicy: .bufferingNewest(1)) { arrivals in
            let reading = Task {
                do {
                    while true {
                        switch try await next() {
                        case .frame(let frame):
                            let isReplacing = newest.withLock { newest in
                                let earlier = newest
                                newest = frame
                                if earlier?.isLively == true { newest?.isLively = true }
                                return earlier != nil
                            }
                            if isReplacing { missed() }
                            arrivals.yield()
                        case .progress: continue
                        case .end: return arrivals.finish()
                        }
                    }
                } catch {
                    arrivals.finish(throwing: error)
                }
            }
            arrivals.onTermination = { _ in reading.cancel() }
        }
        return arrivals.compactMap { newest.withLock { $0.take() } }
    }

    /// Kills the worker.
    package func cancel() { process.cancel() }

    /// The id of the worker's process, while the process lives.
    package var identifier: Int32? { process.identifier }
}

extension VideoReader {
    package static func probe(
        _ input: CInt, limits: VideoLimits, program: HelperProgram
    ) async throws(VideoError) -> VideoInfo {
        var limits = limits
        limits.processorTime = min(limits.processorTime, 20)
        return try await open(WorkerOrder(command: .probe, limits: limits), program: program, input: input).info
    }

    /// The picture in sight at a time, in milliseconds since the first one.
    package static func picture(
        of input: CInt, at milliseconds: Int, side: Int? = nil, limits: VideoLimits, program: HelperProgram
    ) async throws(VideoError) -> VideoFrame {
        guard milliseconds >= 0, Double(milliseconds) / 1000 <= limits.duration + 1 else {
            throw .noFrame(milliseconds: milliseconds)
        }
        // A rounded time may fall just before the picture that it belongs to.
        let order = WorkerOrder(command: .frame(time: Int64(milliseconds) * 1000 + 500, side: side), limits: limits)
        let reader = try await open(order, program: program, input: input)
        while true {
            switch try await reader.next() {
            case .frame(let frame): return frame
            case .progress: continue
            case .end: throw .noFrame(milliseconds: milliseconds)
            }
        }
    }
}
