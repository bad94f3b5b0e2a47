package import HTTP
package import Training

extension TrainingError: ProblemConvertible {
    package var problem: ProblemDetails {
        switch self {
        case .unknown(let id): .notFound("training", id: id)
        case .queueFull:
            ProblemDetails(
                type: "/problems/overloaded", title: "Too busy", status: .serviceUnavailable, detail: description,
                headers: ["Retry-After": "30"])
        case .takenName, .conflict:
            ProblemDetails(
                type: "/problems/training-conflict", title: "Not possible now", status: .conflict, detail: description)
        case .unmeasurable:
            ProblemDetails(
                type: "/problems/unusable-evaluation", title: "Nothing to measure", status: .unprocessableContent,
                detail: description)
        default:
            ProblemDetails(
                type: "/problems/unusable-training", title: "Nothing to learn from", status: .unprocessableContent,
                detail: description)
        }
    }
}
