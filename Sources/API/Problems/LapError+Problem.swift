package import HTTP
package import Streams

extension LapError: ProblemConvertible {
    package var problem: ProblemDetails {
        switch self {
        case .noCandidate:
            .noCandidate(
                "Nothing is in sight that could be timed: show the object to the camera, or give the timer a label.")
        case .alreadyStarted:
            ProblemDetails(
                .conflict,
                detail: "The timer runs already; set its state to “warm_up” first to start it anew or to move its line."
            )
        case .unknownLap(let number): .notFound("lap", id: "\(number)")
        case .noPicture(let number): .notFound("picture of lap", id: "\(number)")
        case .unknownTimer(let id): .notFound("lap timer", id: "\(id)")
        case .isFed(let id):
            ProblemDetails(
                .conflict,
                detail: "The lap timer “\(id)” takes the frames of another stream; close that one first, or wait until "
                    + "it has sent nothing for \(LapSessions.patience.components.seconds) s.")
        case .tooMany: ProblemDetails(.conflict, detail: LapSessions.full)
        }
    }
}
