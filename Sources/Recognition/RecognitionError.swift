/// Why there is no answer, besides `ImagingError` (which is the photo's fault) and `CancellationError`.
package enum RecognitionError: Error, Sendable, Equatable {
    /// Every permit is taken or the queue is full; the wait is what the backlog takes at the measured rate.
    case overloaded(retryAfter: Duration)
    /// The deadline passed before the engine took the photo.
    case deadlineExceeded
    /// No such model is loaded.
    case unknownModel(String)
    /// The model has no such head.
    case unknownHead(String, available: [String])
    /// The model's folder cannot be served: what is wrong and where.
    case brokenModel(name: String, fault: ModelFault, reason: String)
    /// The default model cannot be unloaded.
    case modelInUse(String)
    /// The model and those that cannot make room for it exceed the bound on memory, in bytes.
    case modelTooLarge(name: String, bytes: Int, limit: Int)
    /// The model was made for another task than the one that was asked of it.
    case wrongTask(name: String, task: ModelManifest.Task, wanted: ModelManifest.Task)
    /// The manifest of a detector does not say how its boxes are read.
    case noBoxes(String)
    /// No detector is in the folder, or several are and none was chosen.
    case noDetector(among: [String])
    /// Nothing can be trained on the model: it has no output `features`, and none was found before its classifier.
    case noFeatures(String, reason: String)
    /// A tensor that the model cannot take: what is wrong and what would be right.
    case invalidTensor(String)
    /// The engine refused an inference.
    case engine(String)
    /// The recogniser was shut down.
    case stopped
    /// pthread_create failed with this errno.
    case threadNotStarted(code: Int32)
}

/// What is wrong with a model's folder; stable, for programs.
package enum ModelFault: String, Sendable {
    /// `manifest.json` cannot be read, or a key of it is not right.
    case manifest
    /// A file of weights is missing, cannot be read, or is one of several.
    case files
    /// The weights are not those that the manifest was written for.
    case digest
    /// The labels cannot be read, or are not as many as the network has classes.
    case labels
    /// The network has no such output as the manifest names, or one of another shape.
    case outputs
    /// The engine cannot run the network.
    case network
    /// It takes more memory or time than it may, or ends the process that runs it.
    case trial
}

extension RecognitionError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .overloaded(let wait): "The recogniser is busy; try again in \(wait)."
        case .deadlineExceeded: "The deadline passed before the photo's turn came."
        case .unknownModel(let name): "There is no model named \"\(name)\"."
        case .unknownHead(let name, let available):
            "There is no head named \"\(name)\"; this model has \(available.joined(separator: ", "))."
        case .brokenModel(let name, _, let reason): "The model \"\(name)\" cannot be served: \(reason)."
        case .modelInUse(let name): "The model \"\(name)\" answers by default; make another one the default first."
        case .modelTooLarge(let name, let bytes, let limit):
            "The model \"\(name)\" takes \(bytes >> 20) MiB; all models together may take \(limit >> 20) MiB."
        case .wrongTask(let name, let task, let wanted):
            "The model \"\(name)\" is made for \(task), not for \(wanted)."
        case .noBoxes(let name):
            "How the boxes of the model \"\(name)\" are read is not known: its manifest.json has no \"detection\"."
        case .noDetector(let names) where names.isEmpty:
            "There is no detection model; `menagerie models pull yolox_nano` fetches one."
        case .noDetector(let names):
            "There are several detection models, \(names.joined(separator: ", ")), and none of them was chosen."
        case .noFeatures(let name, let reason):
            "Nothing can be trained on the model \"\(name)\": that takes an ONNX or Core ML file with an output \"features\" or "
                + "with a classifier as its last layer, but \(reason)."
        case .invalidTensor(let reason): reason
        case .engine(let reason): "The inference engine failed: \(reason)."
        case .stopped: "The recogniser is shutting down."
        case .threadNotStarted(let code): "A worker thread could not be started (errno \(code))."
        }
    }
}
