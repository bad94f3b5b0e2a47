/// The reason for a missing answer, besides `ImagingError` (the photo's fault) and `CancellationError`.
package enum RecognitionError: Error, Sendable, Equatable {
    /// Every permit is taken, or the queue is full. The wait is estimated from the backlog and the measured rate.
    case overloaded(retryAfter: Duration)
    /// The deadline passed before the engine took the photo.
    case deadlineExceeded
    /// No model of this name exists or is loaded.
    case unknownModel(String)
    /// The model has no such head.
    case unknownHead(String, available: [String])
    /// The model's folder cannot be served. The text says what is wrong and where.
    case brokenModel(name: String, fault: ModelFault, reason: String)
    /// The default model cannot be unloaded.
    case modelInUse(String)
    /// The model does not fit the limit on memory, in bytes, even if all models that may go make room.
    case modelTooLarge(name: String, bytes: Int, limit: Int)
    /// The model was made for another task than the requested one.
    case wrongTask(name: String, task: ModelManifest.Task, wanted: ModelManifest.Task)
    /// The manifest of a detector does not say how to read its boxes.
    case noBoxes(String)
    /// The folder has no detector, or it has several and the request names none.
    case noDetector(among: [String])
    /// Nothing can be trained on the model: it has no output `features`, and none could be derived.
    case noFeatures(String, reason: String)
    /// The model cannot take the tensor. The text says what is wrong and what would be right.
    case invalidTensor(String)
    /// The engine refused an inference.
    case engine(String)
    /// The recogniser was shut down.
    case stopped
    /// pthread_create failed with this errno.
    case threadNotStarted(code: Int32)
}

/// The fault in a model's folder, as a stable code for programs.
package enum ModelFault: String, Sendable {
    /// `manifest.json` is unreadable, or one of its keys is wrong.
    case manifest
    /// A file of weights is missing, unreadable, or ambiguous.
    case files
    /// The weights differ from those that the manifest was written for.
    case digest
    /// The labels are unreadable, or their number differs from the network's classes.
    case labels
    /// The network lacks an output that the manifest names, or its shape differs.
    case outputs
    /// The engine cannot run the network.
    case network
    /// The model exceeds its memory or time, or crashes its process.
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
