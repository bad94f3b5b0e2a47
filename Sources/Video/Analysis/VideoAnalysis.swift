package import Base
package import Recognition
package import Streams

/// Analyses a video. A worker process delivers the pictures. Recognition, tracking and voting happen here.
package struct VideoAnalysis: Sendable {
    /// The depth of the analysis, and its limits.
    package struct Options: Sendable {
        /// The number of pictures a second to analyse.
        package var every: Double
        package var analyser: AnalyserOptions
        package var limits: VideoLimits
        /// An object to look for in every picture. Nil looks for none.
        package var pointed: ThingAppearance?

        package init(
            every: Double = 10,
            analyser: AnalyserOptions = AnalyserOptions().forFile,
            limits: VideoLimits = .standard
        ) {
            self.every = every
            self.analyser = analyser
            self.limits = limits
        }
    }

    /// A report during the analysis.
    package enum Event: Sendable {
        case info(VideoInfo)
        /// The milliseconds of the video done so far, and the number of analysed pictures.
        case progress(milliseconds: Int, frames: Int)
        /// A new track was found.
        case track(VideoFindings.Track)
        case answer(FrameAnswer, milliseconds: Int)
    }

    /// The longer side of the analysed pictures, in pixels.
    private static let side = 960

    private let recogniser: Recogniser
    private let program: HelperProgram
    private let options: Options

    package init(recogniser: Recogniser, program: HelperProgram = .current, options: Options = Options()) {
        self.recogniser = recogniser
        self.program = program
        self.options = options
    }

    /// The appearance of the object at a point of a picture.
    ///
    /// - Parameters:
    ///   - input: the same file, open for reading.
    ///   - milliseconds: the time of the picture, since the first one.
    ///   - label: the label of the object's laps. Nil takes its name.
    /// - Returns: nil if no object can be distinguished there.
    /// - Throws: ``VideoError``, `RecognitionError`, or `CancellationError`.
    package func appearance(
        ofThingAt point: Tap, atMilliseconds milliseconds: Int, of input: CInt, label: String?
    ) async throws -> ThingAppearance? {
        let frame = try await VideoReader.picture(
            of: input, at: milliseconds, side: Self.side, limits: options.limits, program: program)
        let analyser = FrameAnalyser(recogniser: recogniser, options: options.analyser)
        return try await Recogniser.patiently {
            try await analyser.appearance(ofThingAt: point, in: .pixels(frame.picture))?.called(label)
        }
    }

    /// Analyses a file. Cancelling the task kills the worker.
    ///
    /// - Parameter input: the file, open for reading.
    /// - Throws: ``VideoError``, `RecognitionError`, or `CancellationError`.
    package func run(_ input: CInt, _ event: @Sendable (Event) async throws -> Void) async throws -> VideoFindings {
        try await read(input, event) { reader, analyser in try await watchAll(reader, analyser, event) }
    }

    /// Analyses a network camera or a local one until it ends or the task is cancelled. Of a file behind the address,
    /// every picture is analysed.
    package func watch(_ address: String, _ event: @Sendable (Event) async throws -> Void) async throws {
        try await read(address: address, event) { reader, analyser in
            guard !VideoAddress.isFile(address) else {
                _ = try await watchAll(reader, analyser, event)
                return
            }
            for try await frame in reader.newestFrames() {
                let answer = try await analyse(try await infer(frame, analyser), of: frame, analyser)
                try await event(.answer(answer, milliseconds: frame.milliseconds))
            }
        }
    }

    private func read<Result>(
        _ input: CInt? = nil, address: String? = nil, _ event: @Sendable (Event) async throws -> Void,
        _ body: (VideoReader, FrameAnalyser) async throws -> Result
    ) async throws -> Result {
        let analyser = FrameAnalyser(recogniser: recogniser, options: options.analyser)
        // A missing model is reported before anything is decoded.
        try await analyser.apply(options.analyser)
        await analyser.seek(options.pointed)
        let order = WorkerOrder(
            command: .frames(every: options.every, side: Self.side), address: address, limits: options.limits,
            threads: 1)
        let reader = try await VideoReader.open(order, program: program, input: input)
        defer { reader.cancel() }
        try await event(.info(reader.info))
        return try await body(reader, analyser)
    }

    /// Analyses every picture of a file. The models run on as many at once as there are lanes. Tracks and votes take
    /// the results in order.
    private func watchAll(
        _ reader: VideoReader, _ analyser: FrameAnalyser, _ event: @Sendable (Event) async throws -> Void
    ) async throws -> VideoFindings {
        var collector = FindingsCollector()
        return try await withThrowingTaskGroup(of: (Int, FrameInference).self) { group in
            /// Pictures in work, and results that came before their turn, by the number of the picture.
            var frames: [Int: VideoFrame] = [:]
            var inferences: [Int: FrameInference] = [:]
            var (read, looked) = (0, 0)
            var step = try await reader.next()
            while true {
                while case .frame(let frame) = step, read - looked < recogniser.laneCount {
                    let number = read
                    group.addTask { (number, try await infer(frame, analyser)) }
                    frames[number] = frame
                    read += 1
                    step = try await reader.next()
                }
                if let inference = inferences.removeValue(forKey: looked),
                    let frame = frames.removeValue(forKey: looked)
                {
                    let answer = try await analyse(inference, of: frame, analyser)
                    looked += 1
                    let new = collector.add(answer, at: frame.milliseconds)
                    try await event(.answer(answer, milliseconds: frame.milliseconds))
                    for track in new { try await event(.track(track)) }
                    try await event(.progress(milliseconds: frame.milliseconds, frames: looked))
                } else if looked < read, let (number, inference) = try await group.next() {
                    inferences[number] = inference
                } else {
                    switch step {
                    case .frame: continue
                    case .progress(let time):
                        try await event(.progress(milliseconds: Int(time / 1000), frames: looked))
                        step = try await reader.next()
                    case .end(let ending):
                        return collector.findings(ending, joins: true)
                    }
                }
            }
        }
    }

    private func infer(_ frame: VideoFrame, _ analyser: FrameAnalyser) async throws -> FrameInference {
        try await Recogniser.patiently { try await analyser.infer(.pixels(frame.picture)) }
    }

    private func analyse(
        _ inference: FrameInference, of frame: VideoFrame, _ analyser: FrameAnalyser
    ) async throws -> FrameAnswer {
        try await Recogniser.patiently {
            try await analyser.analyse(
                inference, of: .pixels(frame.picture), atMilliseconds: Double(frame.milliseconds))
        }
    }
}
