import Base
package import Imaging

/// Recognition in streams: cameras and videos. Frames need no permits. The opener of a stream limits the number of
/// streams and of frames in process.
extension Recogniser {
    /// Runs a classifier and a detector on a frame at the same time. The frame is decoded once.
    /// Several frames may run at once.
    ///
    /// - Throws: `ImagingError` if the frame is at fault, `RecognitionError`, or `CancellationError`.
    package func infer(
        _ source: FrameSource, with frameModels: FrameModels, options: FrameOptions
    ) async throws -> FrameInference {
        try await models.withModel(frameModels.classifier) { classifier in
            try classifier.checkClassifier(answering: options.requiredHeads + [options.head].compactMap(\.self))
            guard let reference = frameModels.detector else {
                return try await infer(source, classifier, nil, options)
            }
            return try await models.withModel(reference) { detector in
                try await infer(source, classifier, detector, options)
            }
        }
    }

    /// The answers for a frame, with its vote added. Takes frames in order, and almost no time.
    ///
    /// - Parameter votes: the votes of earlier frames.
    package func result(of inference: FrameInference, votes: OutputVotes = OutputVotes()) -> FrameResult {
        var votes = votes
        let mean = votes.add(inference.output, of: inference.classifier, keeping: inference.options.memory)
        func classification(_ output: ModelOutput) -> Classification {
            let classification = Classification(
                image: inference.frame.info, output: output, model: inference.classifier,
                requestedHead: inference.options.head, timing: inference.timing)
            return naming(personAmong: inference.boxes, in: classification, by: inference.classifier)
        }
        return FrameResult(
            frame: inference.frame, classification: classification(inference.output),
            fused: classification(mean), votes: votes, boxes: inference.boxes,
            confidence: inference.confidence, timing: inference.timing, output: inference.output,
            classifier: inference.classifier)
    }

    /// Classifies crops of a frame. The head that fits answers, whatever the options ask for.
    ///
    /// - Parameter source: the frame itself. It is decoded again if a crop needs more detail.
    /// - Returns: the results, in the order of the crops.
    /// - Throws: `RecognitionError`, or `CancellationError`.
    package func classify(
        _ parts: [FramePart], of frame: Frame, from source: FrameSource, with frameModels: FrameModels,
        options: FrameOptions
    ) async throws -> [FramePartResult] {
        guard !parts.isEmpty else { return [] }
        return try await models.withModel(frameModels.classifier) { classifier in
            try classifier.checkClassifier(answering: options.requiredHeads)
            let input = classifier.manifest.input
            let requests = parts.map { input.decodeRequest(crop: .center, region: $0.region) }
            // The frame has begun already, so its crops go before newer frames.
            let pictures = try await lanes.run(
                in: streams, isBegun: true, priority: options.priority, deadline: options.deadline
            ) { [imageLimits = self.options.limits] _ in
                var frame = frame
                if case .file(let bytes) = source, requests.contains(where: frame.hidesDetail) {
                    frame = try Frame(bytes, for: requests, limits: imageLimits)
                }
                return requests.map { input.cut(frame.picture($0).pixels).bytes }
            }
            let results = try await pictures.concurrentMap(atOnce: self.options.engine.lanes) {
                try await classifier.line.submit(
                    $0, isBegun: true, priority: options.priority, deadline: options.deadline)
            }
            return zip(parts, results).map { part, result in
                part.result(
                    result.output, classifier.heads.answers(to: result.output), of: frame.info, by: classifier, options,
                    result.timing)
            }
        }
    }

    /// Uses the result for the whole frame for a crop that covers most of it.
    package func result(of part: FramePart, asWhole whole: FrameResult, options: FrameOptions) -> FramePartResult {
        part.result(
            whole.output, whole.classification.heads, of: whole.frame.info, by: whole.classifier, options, whole.timing)
    }

    private func infer(
        _ source: FrameSource, _ classifier: LoadedModel, _ detector: LoadedModel?, _ options: FrameOptions
    ) async throws -> FrameInference {
        let opened = try await open(source, classifier, detector, options)
        async let found = boxes(in: opened.searched, detector, options)
        let answer = try await classifier.line.submit(
            opened.classified, isBegun: true, priority: options.priority, deadline: options.deadline)
        let (boxes, confidence, searching) = try await found
        let timing = Timing(
            decode: opened.seconds * 1000, queue: opened.waited * 1000, inference: 0
        ).adding(answer.timing)
        return FrameInference(
            frame: opened.frame, output: answer.output, classifier: classifier, options: options, boxes: boxes,
            confidence: confidence, timing: searching.map(timing.adding) ?? timing)
    }

    /// A decoded frame with the inputs of the networks.
    private struct Opened: Sendable {
        let frame: Frame
        let classified: [UInt8]
        let searched: DecodedPicture?
        /// The wait for a lane and the time for decoding, in seconds.
        let waited: Double
        let seconds: Double
    }

    private func open(
        _ source: FrameSource, _ classifier: LoadedModel, _ detector: LoadedModel?, _ options: FrameOptions
    ) async throws -> Opened {
        let (input, other) = (classifier.manifest.input, detector?.manifest.input)
        let request = input.decodeRequest(crop: options.crop)
        let search = other?.decodeRequest(crop: nil)
        return try await lanes.run(in: streams, priority: options.priority, deadline: options.deadline) { [self] turn in
            let start = ContinuousClock.now
            let frame =
                switch source {
                case .file(let bytes):
                    try Frame(bytes, for: [request] + [search].compactMap(\.self), limits: self.options.limits)
                case .pixels(let pixels): Frame(pixels: pixels)
                }
            let searched = search.flatMap { search in other?.cut(frame.picture(search)) }
            let classified = input.cut(frame.picture(request).pixels).bytes
            let seconds = (ContinuousClock.now - start).seconds
            tellDecoded(by: nil, waited: turn.queueSeconds, since: start, seconds: seconds)
            return Opened(
                frame: frame, classified: classified, searched: searched, waited: turn.queueSeconds, seconds: seconds)
        }
    }

    private func boxes(
        in picture: DecodedPicture?, _ model: LoadedModel?, _ options: FrameOptions
    ) async throws -> (boxes: [DetectedBox], confidence: Float, timing: Timing?) {
        guard let picture, let model else { return ([], 0, nil) }
        guard let detector = model.detector else { throw RecognitionError.noBoxes(model.manifest.name) }
        let result = try await model.line.submit(
            picture.pixels.bytes, isBegun: true, priority: options.priority, deadline: options.deadline)
        let confidence = detector.detection.confidence
        let least = confidence * FrameOptions.doubt
        let view = Detector.View(number: 0, region: .whole, placement: picture.placement)
        let candidates = detector.candidates(
            in: result.output.values[detector.output], of: view, from: least, scored: true)
        return (
            detector.places(among: candidates, limit: FrameOptions.maximumBoxes, from: least), confidence, result.timing
        )
    }
}

extension FramePart {
    /// - Parameter single: the heads' answers to the output alone.
    fileprivate func result(
        _ output: ModelOutput, _ single: [HeadAnswer], of image: ImageInfo, by classifier: LoadedModel,
        _ options: FrameOptions, _ timing: Timing
    ) -> FramePartResult {
        var votes = votes
        let mean = votes.add(output, of: classifier, keeping: options.memory, weight: weight)
        return FramePartResult(
            classification: Classification(
                image: image, output: mean, model: classifier, requestedHead: nil, timing: timing),
            single: single, votes: votes)
    }
}

extension ModelLine.Inference {
    /// The time without decoding.
    var timing: Timing {
        Timing(
            decode: 0, queue: queueSeconds * 1000, inference: inferenceSeconds * 1000,
            secondStage: output.secondStage.map { $0.seconds * 1000 })
    }
}
