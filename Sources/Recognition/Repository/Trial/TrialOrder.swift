/// A helper's task with its limits.
struct TrialOrder: Codable, Sendable {
    enum Task: Codable, Sendable {
        /// Describe a file.
        case inspect(path: String, name: String, version: String)
        /// Load the version in a folder and run it once.
        case load(folder: String, name: String, version: String)
    }

    let task: Task
    let limits: ModelTrial.Limits
}

/// A helper's report on a model.
struct TrialReport: Codable, Sendable {
    struct Problem: Codable, Sendable {
        let fault: String
        let reason: String
    }

    var proposal: ManifestProposal?
    /// Nil for a model that passed.
    var problem: Problem?
}
