import Base
package import HTTP
package import Imaging
package import Recognition

extension ImagingError: ProblemConvertible {
    package var problem: ProblemDetails {
        switch self {
        case .empty: .malformedBody(description)
        case .notAnImage, .unsupportedFormat: .unsupportedMediaType(description)
        case .tooManyBytes: .photoTooLarge(description)
        case .corrupt, .truncated, .tooManyPixels, .tooSlow: .unreadablePhoto(description)
        case .encodingFailed:
            ProblemDetails(.internalServerError, detail: "The photo could not be prepared for the history.")
        }
    }

    package var hiddenReason: String? {
        if case .encodingFailed = self { description } else { nil }
    }
}

extension RecognitionError: ProblemConvertible {
    package var problem: ProblemDetails {
        switch self {
        case .overloaded(let wait):
            .overloaded(retryAfterSeconds: max(1, Int(clamping: (wait / .seconds(1)).rounded(.up))))
        case .deadlineExceeded: .timedOut(description)
        case .unknownModel(let name): .notFound("model", id: name)
        case .unknownHead(let name, let available):
            .invalidParameter("heads", value: name, expected: "one of \(available.joined(separator: ", "))")
        case .stopped: .notReady("The service is stopping.")
        case .brokenModel(let name, _, _):
            .notReady("The model “\(name)” cannot be served; the log says why.")
        case .modelInUse, .noBoxes, .noFeatures: .wrongModel(description)
        case .wrongTask(_, .detection, _): .wrongModel("\(description) POST /detect is where it answers.")
        case .wrongTask(_, .classification, _):
            .wrongModel("\(description) POST /classify is where it answers; GET /models tells each model's task.")
        case .wrongTask:
            .wrongModel("\(description) Its tensors are answered by POST /v2/models/{name}/infer.")
        case .noDetector(let names):
            .wrongModel(
                names.isEmpty
                    ? description
                    : "\(description) Name one with model=, or choose one with the setting detection.model.")
        case .modelTooLarge: .modelTooLarge(description)
        case .invalidTensor: .malformedBody(description)
        case .engine, .threadNotStarted:
            ProblemDetails(.internalServerError, detail: "The recognition failed; the log says why.")
        }
    }

    package var hiddenReason: String? {
        switch self {
        case .engine, .threadNotStarted: description
        default: nil
        }
    }
}
