import Base
package import HTTP
package import Training

extension TrainingError: ProblemConvertible {
    package var problem: ProblemDetails {
        switch self {
        case .unknown(let id): .notFound("training", id: id)
        case .queueFull: .tooBusy(description, retryAfterSeconds: 30)
        case .takenName, .conflict: .trainingConflict(description, extensions: TrainingFailure(self).members)
        case .unmeasurable: unusableEvaluation
        default: .unusableTraining(description, extensions: TrainingFailure(self).members)
        }
    }

    /// The problem in an evaluation, which measures with the photos and learns nothing from them.
    var problemOfEvaluation: ProblemDetails {
        let problem = problem
        return problem.type == ProblemDetails.unusableTraining.type ? unusableEvaluation : problem
    }

    private var unusableEvaluation: ProblemDetails {
        .unusableEvaluation(description, extensions: TrainingFailure(self).members)
    }
}

extension TrainingFailure {
    /// The problem's members for programs.
    fileprivate var members: [String: JSONValue] {
        guard code != .other else { return [:] }
        var members: [String: JSONValue] = ["code": .string(code.rawValue)]
        if let count { members["count"] = .integer(count) }
        if let limit { members["limit"] = .integer(limit) }
        if let classes { members["classes"] = .array(classes.map { .string($0) }) }
        if let model { members["model"] = .string(model) }
        return members
    }
}
