/// What a helper is to do with a model, and how much it may take.
struct TrialOrder: Codable, Sendable {
    enum Task: Codable, Sendable {
        /// Tell what a file is.
        case inspect(path: String, name: String, version: String)
        /// Load the version that a folder holds, and run it once.
        case load(folder: String, name: String, version: String)
    }

    let task: Task
    let limits: ModelTrial.Limits
}

/// What a helper tells of a model.
struct TrialReport: Codable, Sendable {
    struct Problem: Codable, Sendable {
        let fault: String
        let reason: String
    }

    var proposal: ManifestProposal?
    /// nil for a model that passed.
    var problem: Problem?
}
