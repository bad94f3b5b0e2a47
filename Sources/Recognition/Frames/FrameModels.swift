/// The models for the frames of a stream.
package struct FrameModels: Sendable, Equatable {
    /// Names what a frame, or a part of it, shows.
    package let classifier: ModelReference
    /// Finds objects in a frame. Nil if there is no detector or no boxes are wanted.
    package let detector: ModelReference?
    /// The name of the default model when these were chosen.
    package let defaultModel: String
}

package struct FrameLabels: Sendable, Equatable {
    /// The labels of boxes. Empty without a detector.
    package let boxes: Set<String>
    /// The labels of all heads of the classifier.
    package let heads: Set<String>
}

extension Recogniser {
    /// All labels of a stream's models.
    ///
    /// - Throws: `RecognitionError` if a model was removed meanwhile.
    package func labels(of frameModels: FrameModels) async throws -> FrameLabels {
        let (heads, names) = try await models.withModel(frameModels.classifier) { ($0.manifest.headLabels, $0.regions) }
        var boxes: [String] = []
        if let detector = frameModels.detector {
            boxes = try await models.withModel(detector) { $0.manifest.detection?.labels ?? [] }
        }
        if !boxes.isEmpty, let names {
            boxes = boxes.filter { $0 != Animals.other } + names.labels
        }
        return FrameLabels(boxes: Set(boxes), heads: Set(heads))
    }

    /// Whether a model has the label: one of the default models, or any other in the folder, loaded or not.
    package func isLabel(_ label: String) async throws -> Bool {
        let standard = try await labels(of: frameModels(nil, detects: true))
        if standard.boxes.contains(label) || standard.heads.contains(label) { return true }
        return try await models.catalogue().compactMap(\.described.manifest).contains { manifest in
            manifest.headLabels.contains(label) || manifest.detection?.labels.contains(label) == true
        }
    }

    /// Chooses the models for a stream. Without a detector, frames are only classified.
    ///
    /// - Parameters:
    ///   - name: a classifier or a detector, as `name` or `name@version`. Nil takes the default models.
    ///   - detects: whether boxes are wanted.
    /// - Throws: `RecognitionError` if the model does not exist, cannot be used, or is of another kind.
    package func frameModels(_ name: String?, detects: Bool) async throws -> FrameModels {
        let defaultModel = defaultModel
        var classifier = try ModelReference(defaultModel)
        if let name {
            let reference = try ModelReference(name)
            let task = try await models.withModel(reference) { $0.manifest.task }
            switch task {
            case .classification: classifier = reference
            case .detection:
                return FrameModels(classifier: classifier, detector: reference, defaultModel: defaultModel)
            case .features: throw RecognitionError.wrongTask(name: reference.name, task: task, wanted: .classification)
            }
        }
        return FrameModels(
            classifier: classifier, detector: detects ? try await anyDetector() : nil, defaultModel: defaultModel)
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

extension ModelManifest {
    /// The labels of all heads, derived ones included.
    fileprivate var headLabels: [String] {
        heads.values.flatMap(\.labels) + (derivedHeads ?? [:]).values.flatMap { $0.labels.map(\.label) }
    }
}
