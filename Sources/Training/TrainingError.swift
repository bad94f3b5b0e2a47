import Base

/// The reason why nothing could be learnt. Earlier results stay as they were.
package enum TrainingError: Error, Sendable, Equatable {
    /// The source has no readable photo.
    case noPhotos(skipped: [SkippedFile])
    /// The history has no scan of the kind that was asked for. The text says how it gets some.
    case noScans(String)
    case oneClass(String, skipped: [SkippedFile])
    /// Classes with only one photo.
    case smallClasses([String])
    case tooManyClasses(Int, limit: Int)
    case tooManyPhotos(Int, limit: Int)
    case tooManyBytes(limit: Int)
    case tooManyFeatures(limit: Int)
    case invalidName(String)
    /// The name belongs to the embedded model, or to a model that was not trained here.
    case takenName(String)
    case unknown(String)
    /// The state of the training does not allow the request. The text says why.
    case conflict(String)
    case queueFull(Int)
    case folder(String)
    /// These photos cannot measure the model. The text says why.
    case unmeasurable(String)
}

extension TrainingError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noPhotos(let skipped):
            switch (skipped.first, skipped.count) {
            case (nil, _): "There are no photos: put those of each class into a folder that has the class's name."
            case (let only?, 1): "The only file cannot be used: \(only.reason.sentence)"
            case (let first?, let count):
                "None of the \(count) files can be used. The first is “\(first.file.prefix(80))”: \(first.reason.sentence)"
            }
        case .oneClass(let label, let skipped):
            "All photos are of one class, “\(label)”; a classifier needs at least two."
                + (skipped.first.map {
                    " Files that cannot be used: \(skipped.count). The first is “\($0.file.prefix(80))”: \($0.reason.sentence)"
                } ?? "")
        case .smallClasses(let labels):
            "Each class needs at least two photos; these have one: \(Self.list(labels))."
        case .tooManyClasses(let count, let limit): "There are \(count) classes; at most \(limit) are taken."
        case .tooManyPhotos(let count, let limit): "There are \(count) photos; at most \(limit) are taken."
        case .tooManyBytes(let limit):
            "The photos have more than \(limit) bytes, unpacked, which is the most that is taken."
        case .tooManyFeatures(let limit):
            "The features of so many photos would take more than \(limit) bytes of memory; give fewer photos or augment less."
        case .invalidName(let name):
            "A model's name is made of a–z, 0–9, _ and -, at most 128 of them, not “\(name.prefix(80))”."
        case .takenName(let name):
            "The name “\(name)” belongs to a model that was not trained here; choose another one."
        case .unknown(let id): "There is no training “\(id.prefix(80))”."
        case .conflict(let reason): reason
        case .queueFull(let count): "\(count) trainings wait already; try again when one of them is done."
        case .folder(let reason), .unmeasurable(let reason), .noScans(let reason): reason
        }
    }

    private static func list(_ labels: [String]) -> String {
        let named = labels.prefix(10).map { "“\($0.prefix(80))”" }.joined(separator: ", ")
        return labels.count > 10 ? "\(named) and \(labels.count - 10) more" : named
    }
}

extension BlockingPool {
    /// Runs the body and returns its result. Throws ``TrainingError/queueFull(_:)`` if too many others wait.
    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await run(whenFull: { TrainingError.queueFull($0) as any Error }, body)
    }
}
