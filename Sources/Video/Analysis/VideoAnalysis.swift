package import Base
package import Recognition
package import Streams

/// Looks through a video: its pictures come from a worker process, what they show is tracked and voted on here.
package struct VideoAnalysis: Sendable {
    /// How closely a video is looked at, and what it may take.
    package struct Options: Sendable {
        /// Pictures a second that are looked at.
        package var every: Double
        package var analyser: AnalyserOptions
        package var limits: VideoLimits
        /// Longer side of the pictures that are looked at, in pixels.
        package var side: Int
        /// Threads that decode; 0: one for each core.
        package var threads: Int32
        /// A thing that is looked for in every picture; nil: none.
        package var pointed: ThingLook?

        package init(
            every: Double = 10, analyser: AnalyserOptions = AnalyserOptions(priority: .bulk, patience: .seconds(300)),
            limits: VideoLimits = VideoLimits(), side: Int = 960, threads: Int32 = 1, pointed: ThingLook? = nil
        ) {
            self.pointed = pointed
            self.every = every
            self.analyser = analyser
            self.limits = limits
            self.side = side
            self.threads = threads
        }
    }

    /// What is told while it goes on.
    package enum Event: Sendable {
        case info(VideoInfo)
        /// Milliseconds of the video that are done, and pictures looked at.
        case progress(milliseconds: Int, frames: Int)
        /// Something new was found.
        case track(VideoFindings.Track)
        /// What one picture showed.
        case answer(FrameAnswer, milliseconds: Int)
    }

    private let recogniser: Recogniser
    private let program: HelperProgram
    private let options: Options

    package init(recogniser: Recogniser, program: HelperProgram = .current, options: Options = Options()) {
        self.recogniser = recogniser
        self.program = program
        self.options = options
    }

    /// What the thing looks like that is at a point of a picture.
    ///
    /// - Parameters:
    ///   - input: of the same file, open for reading.
    ///   - milliseconds: of the picture, since the first one.
    ///   - label: what laps of it are called; nil: its name.
    /// - Returns: nil where nothing can be told apart there.
    /// - Throws: ``VideoError``, `RecognitionError`, or `CancellationError`.
    package func look(
        ofThingAt point: Tap, atMilliseconds milliseconds: Int, of input: CInt, label: String?
    ) async throws -> ThingLook? {
        let frame = try await VideoReader.picture(
            of: input, at: milliseconds, side: options.side, limits: options.limits, program: program)
        let analyser = FrameAnalyser(recogniser: recogniser, options: options.analyser)
        return try await patiently { try await analyser.look(ofThingAt: point, in: .pixels(frame.picture)) }?
            .called(label)
    }

    /// How long is waited before an engine that has no place is asked again.
    private static let rest = Duration.milliseconds(100)

    /// Looks through a file. Cancelling the task kills the worker.
    ///
    /// - Parameter input: open for reading.
    /// - Throws: ``VideoError``, `RecognitionError`, or `CancellationError`.
    package func run(_ input: CInt, _ event: @Sendable (Event) async throws -> Void) async throws -> VideoFindings {
        try await run(.frames(every: options.every, side: options.side), input, event)
    }

    /// Looks at a camera on the network or of this machine until it ends or the task is cancelled.
    package func watch(
        _ address: String, _ event: @Sendable (Event) async throws -> Void
    ) async throws -> VideoFindings {
        try await run(.live(address: address, every: options.every, side: options.side), nil, event)
    }

    private func watchNewest(
        _ reader: VideoReader, _ analyser: FrameAnalyser, _ event: @Sendable (Event) async throws -> Void
    ) async throws -> VideoFindings {
        let (frames, sink) = AsyncThrowingStream.makeStream(
            of: VideoReader.Step.self, bufferingPolicy: .bufferingNewest(1))
        // Frames that come while one is looked at replace one another: what is answered is never old.
        let reading = Task {
            do {
                while true {
                    let step = try await reader.next()
                    sink.yield(step)
                    if case .end = step { break }
                }
                sink.finish()
            } catch {
                sink.finish(throwing: error)
            }
        }
        defer { reading.cancel() }
        var collector = FindingsCollector()
        var ending = VideoEnding()
        for try await step in frames {
            switch step {
            case .frame(let frame):
                let answer = try await look(at: try await see(frame, analyser), of: frame, analyser)
                collector.add(answer, at: frame.milliseconds)
                try await event(.answer(answer, milliseconds: frame.milliseconds))
            case .progress: continue
            case .end(let found): ending = found
            }
        }
        return collector.findings(ending)
    }

    private func run(
        _ command: WorkerCommand, _ input: CInt?, _ event: @Sendable (Event) async throws -> Void
    ) async throws -> VideoFindings {
        let analyser = FrameAnalyser(recogniser: recogniser, options: options.analyser)
        // A model that is not there is told before anything is decoded.
        try await analyser.apply(options.analyser)
        await analyser.seek(options.pointed)
        let order = WorkerOrder(command: command, limits: options.limits, threads: options.threads)
        let reader = try await VideoReader.open(order, program: program, input: input)
        defer { reader.cancel() }
        try await event(.info(reader.info))
        if input == nil, !command.isFile { return try await watchNewest(reader, analyser, event) }
        return try await watchAll(reader, analyser, event)
    }

    /// Looks at every picture of a file. The models see several at a time, as many as there are cores while nobody else
    /// waits for an answer; tracks and votes take them in their order.
    private func watchAll(
        _ reader: VideoReader, _ analyser: FrameAnalyser, _ event: @Sendable (Event) async throws -> Void
    ) async throws -> VideoFindings {
        let pace = BulkPace(recogniser)
        var collector = FindingsCollector()
        return try await withThrowingTaskGroup(of: (Int, FrameSight).self) { group in
            /// Pictures that are seen or waited for, and what was seen before its turn, by their numbers.
            var frames: [Int: VideoFrame] = [:]
            var sights: [Int: FrameSight] = [:]
            var (read, looked) = (0, 0)
            var step = try await reader.next()
            while true {
                while case .frame(let frame) = step, read - looked < pace.lanes {
                    let number = read
                    group.addTask { (number, try await see(frame, analyser)) }
                    frames[number] = frame
                    read += 1
                    step = try await reader.next()
                }
                if let sight = sights.removeValue(forKey: looked), let frame = frames.removeValue(forKey: looked) {
                    let answer = try await look(at: sight, of: frame, analyser)
                    looked += 1
                    let new = collector.add(answer, at: frame.milliseconds)
                    try await event(.answer(answer, milliseconds: frame.milliseconds))
                    for track in new { try await event(.track(track)) }
                    try await event(.progress(milliseconds: frame.milliseconds, frames: looked))
                } else if looked < read, let (number, sight) = try await group.next() {
                    sights[number] = sight
                } else {
                    switch step {
                    case .frame: continue
                    case .progress(let time):
                        try await event(.progress(milliseconds: Int(time / 1000), frames: looked))
                        step = try await reader.next()
                    case .end(let ending):
                        return collector.findings(ending, joiningOver: Int(clamping: 1000 / options.every))
                    }
                }
            }
        }
    }

    private func see(_ frame: VideoFrame, _ analyser: FrameAnalyser) async throws -> FrameSight {
        try await patiently { try await analyser.see(.pixels(frame.picture)) }
    }

    private func look(
        at sight: FrameSight, of frame: VideoFrame, _ analyser: FrameAnalyser
    ) async throws -> FrameAnswer {
        try await patiently {
            try await analyser.look(at: sight, of: .pixels(frame.picture), atMilliseconds: Double(frame.milliseconds))
        }
    }

    /// Others go first: where they have taken all places, this waits for one.
    private func patiently<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        while true {
            do {
                return try await body()
            } catch RecognitionError.overloaded, RecognitionError.deadlineExceeded {
                try await Task.sleep(for: Self.rest)
            }
        }
    }
}
