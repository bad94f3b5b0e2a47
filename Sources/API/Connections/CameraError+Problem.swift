package import Connections
package import HTTP

extension CameraError: ProblemConvertible {
    package var problem: ProblemDetails {
        switch self {
        case .off:
            ProblemDetails(
                .conflict,
                detail: "This service watches no cameras: its operator has to start it with --set cameras.enabled=true."
            )
        case .invalid(let field, let expected): .invalidValue(field, expected: expected)
        case .full(let limit):
            ProblemDetails(
                .conflict,
                detail: "There are \(limit) cameras, as many as cameras.max allows; delete one of them first.")
        case .unknown(let id): .notFound("camera", id: id)
        case .unknownSighting(let id): .notFound("sighting", id: id)
        case .noPicture: ProblemDetails(.notFound, detail: "No picture has come from this camera yet.")
        case .storage(let reason): .storageUnavailable("The cameras cannot be kept: \(reason)")
        }
    }
}
