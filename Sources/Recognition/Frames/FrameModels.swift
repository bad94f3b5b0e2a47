/// Who looks at the frames of a stream.
package struct FrameModels: Sendable, Equatable {
    /// Names what a frame shows as a whole, or a part of it.
    package let classifier: ModelReference
    /// Finds what is in a frame; nil where there is no detector, or none is wanted.
    package let detector: ModelReference?
}

/// The words that a stream's models have for what they see.
package struct FrameLabels: Sendable, Equatable {
    /// Those that a box may have; empty where there is no detector.
    package let boxes: Set<String>
    /// Of all heads of the classifier.
    package let heads: Set<String>
}

extension Recogniser {
    /// What the models of a stream may call the things that they see.
    ///
    /// - Throws: `RecognitionError` for a model that is gone meanwhile.
    package func labels(of frameModels: FrameModels) async throws -> FrameLabels {
        let heads = try await models.withModel(frameModels.classifier) { model in
            model.manifest.heads.values.flatMap(\.labels)
                + (model.manifest.derivedHeads ?? [:]).values.flatMap { $0.labels.map(\.label) }
        }
        var boxes: [String] = []
        if let detector = frameModels.detector {
            boxes = try await models.withModel(detector) { $0.manifest.detection?.labels ?? [] }
        }
        if !boxes.isEmpty, let names = try await regionNames(of: frameModels) {
            boxes = boxes.filter { $0 != Animals.other } + names.labels
        }
        return FrameLabels(boxes: Set(boxes), heads: Set(heads))
    }

    /// The models that a stream means. Without a detector frames are classified only.
    ///
    /// - Parameters:
    ///   - name: of a classifier or a detector, `name` or `name@version`; nil: the default ones.
    ///   - detects: whether boxes are wanted.
    /// - Throws: `RecognitionError` for a model that is not there, cannot be served, or is neither.
    package func frameModels(_ name: String?, detects: Bool) async throws -> FrameModels {
        let standard = try ModelReference(defaultModel)
        guard let name else {
            return FrameModels(classifier: standard, detector: detects ? try await anyDetector() : nil)
        }
        let reference = try ModelReference(name)
        let task = try await models.withModel(reference) { $0.manifest.task }
        switch task {
        case .classification:
            return FrameModels(classifier: reference, detector: detects ? try await anyDetector() : nil)
        case .detection:
            return FrameModels(classifier: standard, detector: reference)
        case .features:
            throw RecognitionError.wrongTask(name: reference.name, task: task, wanted: .classification)
        }
    }

    private func anyDetector() async throws -> ModelReference? {
        do {
            let reference = try await detector(nil)
            return try await models.withModel(reference) { $0.detector == nil ? nil : reference }
        } catch let error as RecognitionError where error.meansNoDetector {
            return nil
        }
    }
}
