package import Base
package import HTTP
package import Storage

extension HistoryError: ProblemConvertible {
    package var problem: ProblemDetails {
        switch self {
        case .notFound(let id): .notFound("scan", id: id)
        case .invalid(let field, let problem):
            .invalidMember("“\(field)” is not acceptable: \(problem).", extensions: ["field": .string(field)])
        case .idempotencyKeyReused: .idempotencyKeyReused(description)
        case .undoExpired: .undoExpired(description)
        case .photoTooLarge: .photoTooLarge(description)
        case .missingPhoto, .corruptPhoto:
            .photoLost("The stored photo is missing or damaged; restore it from a backup.")
        case .damagedScan(let id, let problem):
            .scanDamaged("The scan “\(id)” cannot be shown: \(problem) Delete it, or restore it from a backup.")
        case .diskFull(let path):
            .storageFull(
                "The disk of \(path == HistoryError.postgreSQLServer ? path : "the data folder") is full: "
                    + "free some space, or delete scans that it holds.")
        case .overloaded: .overloaded(retryAfterSeconds: 1)
        case .cancelled, .closed: .notReady("The service is stopping.")
        case .readOnly, .locked, .corruptDatabase, .noHistory, .newerSchema, .unavailable:
            // The paths of the files concern only the operator. The log has them.
            .storageUnavailable("The history cannot be reached or written just now.")
        }
    }

    package var hiddenReason: String? {
        switch self {
        case .missingPhoto, .corruptPhoto, .diskFull, .readOnly, .locked, .corruptDatabase, .noHistory, .newerSchema,
            .unavailable:
            description
        case .notFound, .invalid, .idempotencyKeyReused, .undoExpired, .photoTooLarge, .damagedScan, .overloaded,
            .cancelled, .closed:
            nil
        }
    }
}

extension ArchiveError: ProblemConvertible {
    package var problem: ProblemDetails { .malformedBody(description) }
}

/// A full or read-only disk gives the same problem as in the history.
extension FileError: ProblemConvertible {
    package var problem: ProblemDetails { HistoryError(self).problem }
    package var hiddenReason: String? { HistoryError(self).hiddenReason }
}

extension WebError: ProblemConvertible {
    package var problem: ProblemDetails {
        let reason =
            switch self {
            case .timedOut: "did not answer in time"
            case .unreachable, .cancelled, .isPrivate: "cannot be reached; is this machine offline?"
            case .tooLarge: "sent more than is taken"
            case .status(let code): "answered with status \(code)"
            case .malformed: "sent something else than was asked for"
            }
        var problem = ProblemDetails.photosUnreachable("The photos of this breed come from dog.ceo, which \(reason).")
        if self == .timedOut { problem.status = .gatewayTimeout }
        return problem
    }
}
