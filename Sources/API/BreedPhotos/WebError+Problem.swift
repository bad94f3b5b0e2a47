import Base
import HTTP

extension WebError: ProblemConvertible {
    var problem: ProblemDetails {
        let reason =
            switch self {
            case .timedOut: "did not answer in time"
            case .unreachable, .cancelled, .isPrivate: "cannot be reached; is this machine offline?"
            case .tooLarge: "sent more than is taken"
            case .status(let code): "answered with status \(code)"
            case .malformed: "sent something else than was asked for"
            }
        return ProblemDetails(
            type: "/problems/photos-unreachable", title: "Photos unreachable",
            status: self == .timedOut ? .gatewayTimeout : .badGateway,
            detail: "The photos of this breed come from dog.ceo, which \(reason).")
    }
}
