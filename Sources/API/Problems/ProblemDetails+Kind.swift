import HTTP

extension ProblemDetails {
    /// A kind of problem. Clients know it by its type, which never changes.
    ///
    /// Calling a kind makes a problem: `throw ProblemDetails.malformedBody("The photo has no bytes.")`.
    struct Kind: Sendable {
        let type: String
        let title: String
        let status: Status
        /// The seconds after which a client should try again, unless the problem says another number; nil for none.
        let retryAfterSeconds: Int?

        init(_ name: String, _ title: String, _ status: Status, retryAfterSeconds: Int? = nil) {
            type = "/problems/" + name
            (self.title, self.status, self.retryAfterSeconds) = (title, status, retryAfterSeconds)
        }

        func callAsFunction(
            _ detail: String, extensions: [String: JSONValue] = [:], retryAfterSeconds: Int? = nil
        ) -> ProblemDetails {
            let seconds = retryAfterSeconds ?? self.retryAfterSeconds
            return ProblemDetails(
                type: type, title: title, status: status, detail: detail, extensions: extensions,
                headers: seconds.map { ["Retry-After": String($0)] } ?? [:])
        }
    }

    static let clockStep = Kind("clock-step", "Clock step", .badRequest)
    static let invalidHeader = Kind("invalid-header", "Invalid header field", .badRequest)
    static let invalidMember = Kind("invalid-value", "Invalid value", .badRequest)
    static let invalidQuery = Kind("invalid-parameter", "Invalid query parameter", .badRequest)
    static let malformedBody = Kind("malformed-body", "Malformed request body", .badRequest)
    static let malformedMessage = Kind("malformed-message", "Malformed message", .badRequest)
    static let unknownQuery = Kind("unknown-parameter", "Unknown query parameter", .badRequest)
    static let unknownSetting = Kind("unknown-setting", "Unknown setting", .badRequest)

    static let sourceNotAllowed = Kind("source-not-allowed", "Source not allowed", .forbidden)

    static let modelExists = Kind("model-exists", "Model exists", .conflict)
    static let modelNotOurs = Kind("model-not-ours", "Operator's model", .conflict)
    static let modelTrained = Kind("model-trained", "Trained model", .conflict)
    static let noCandidate = Kind("no-candidate", "No candidate", .conflict)
    static let nothingPointedAt = Kind("nothing-pointed-at", "Nothing pointed at", .conflict)
    static let trainingConflict = Kind("training-conflict", "Not possible now", .conflict)
    static let videoNotReady = Kind("video-not-ready", "Video not ready", .conflict, retryAfterSeconds: 1)
    static let wrongModel = Kind("wrong-model", "Wrong model", .conflict)

    static let undoExpired = Kind("undo-expired", "Too late to undo", .gone)

    static let photoTooLarge = Kind("photo-too-large", "Photo too large", .contentTooLarge)

    static let brokenModel = Kind("broken-model", "Broken model", .unprocessableContent)
    static let idempotencyKeyReused = Kind("idempotency-key-reused", "Idempotency key reused", .unprocessableContent)
    static let nothingImported = Kind("nothing-imported", "Nothing imported", .unprocessableContent)
    static let unreadablePhoto = Kind("unreadable-photo", "Unreadable photo", .unprocessableContent)
    static let unreadableVideo = Kind("unreadable-video", "Unreadable video", .unprocessableContent)
    static let unusableEvaluation = Kind("unusable-evaluation", "Nothing to measure", .unprocessableContent)
    static let unusableTraining = Kind("unusable-training", "Nothing to learn from", .unprocessableContent)

    static let photoLost = Kind("photo-lost", "Photo lost", .internalServerError)
    static let scanDamaged = Kind("scan-damaged", "Scan damaged", .internalServerError)

    static let photosUnreachable = Kind("photos-unreachable", "Photos unreachable", .badGateway)

    static let notReady = Kind("not-ready", "Not ready", .serviceUnavailable, retryAfterSeconds: 1)
    static let storageUnavailable = Kind(
        "storage-unavailable", "Storage unavailable", .serviceUnavailable, retryAfterSeconds: 1)
    static let tooBusy = Kind("overloaded", "Too busy", .serviceUnavailable)

    static let timedOut = Kind("timed-out", "Timed out", .gatewayTimeout)

    static let modelTooLarge = Kind("model-too-large", "Model too large", .insufficientStorage)
    static let storageFull = Kind("storage-full", "Storage full", .insufficientStorage)
}
