/// The reason why a photo was refused.
package enum RefusalCause: String, Sendable, CaseIterable {
    /// The limit on photos in work was reached.
    case inFlight = "photos_in_flight"
    /// The line was full.
    case queueFull = "queue_full"
}

/// The reason why an admitted photo got no answer.
package enum DropReason: String, Sendable, CaseIterable {
    /// Its client left.
    case departed
    /// Its deadline passed.
    case expired
}

/// The result of trying a model.
package enum TrialOutcome: String, Sendable, CaseIterable {
    case passed
    /// The file cannot be served, for a known reason.
    case refused
    case memory
    case time
    case crashed
    /// Nobody wants the model any more.
    case cancelled
}

/// Receives everything that is worth measuring. Worker threads call it often: return quickly, never block.
package protocol RecognitionObserver: Sendable {
    /// Another observer, which gets what this one does not implement. Nil by default.
    var next: (any RecognitionObserver)? { get }
    /// The observer for the waits and inferences of one model.
    ///
    /// - Parameter model: the name of a model that is being loaded. This is called once for each load.
    func observer(ofModel model: String) -> any RecognitionObserver
    /// A photo was decoded in this wall time.
    func decoded(seconds: Double)
    /// A photo waited this long for a lane to decode it.
    func waitedToDecode(seconds: Double)
    /// A photo waited this long for one of its model's lanes.
    func queued(seconds: Double)
    /// The engine took this long for one photo.
    func inferred(seconds: Double)
    /// The second network of a cascade was asked about a photo and took this long.
    func askedSecondStage(seconds: Double)
    /// A photo occupied a lane for this long, including decoding.
    func served(seconds: Double)
    func refused(_ cause: RefusalCause)
    /// An admitted photo was dropped before it cost more.
    func dropped(reason: DropReason)
    /// The number of photos waiting in a line changed.
    func queueDepth(_ depth: Int)
    /// A version of a model was loaded in this time and now answers.
    func loaded(_ model: ModelReference, seconds: Double)
    /// A model could not be loaded. Earlier loaded models still answer.
    func failedToLoad(_ model: ModelReference, _ error: RecognitionError)
    /// An untrusted model was tried in a helper process.
    func tried(_ outcome: TrialOutcome)
    /// Models were unloaded: by hand, for lack of memory, or because they were idle.
    func unloaded(_ models: [ModelReference])
}

extension RecognitionObserver {
    package var next: (any RecognitionObserver)? { nil }
    package func observer(ofModel model: String) -> any RecognitionObserver { next?.observer(ofModel: model) ?? self }
    package func decoded(seconds: Double) { next?.decoded(seconds: seconds) }
    package func waitedToDecode(seconds: Double) { next?.waitedToDecode(seconds: seconds) }
    package func queued(seconds: Double) { next?.queued(seconds: seconds) }
    package func inferred(seconds: Double) { next?.inferred(seconds: seconds) }
    package func askedSecondStage(seconds: Double) { next?.askedSecondStage(seconds: seconds) }
    package func served(seconds: Double) { next?.served(seconds: seconds) }
    package func refused(_ cause: RefusalCause) { next?.refused(cause) }
    package func dropped(reason: DropReason) { next?.dropped(reason: reason) }
    package func queueDepth(_ depth: Int) { next?.queueDepth(depth) }
    package func loaded(_ model: ModelReference, seconds: Double) { next?.loaded(model, seconds: seconds) }
    package func failedToLoad(_ model: ModelReference, _ error: RecognitionError) { next?.failedToLoad(model, error) }
    package func tried(_ outcome: TrialOutcome) { next?.tried(outcome) }
    package func unloaded(_ models: [ModelReference]) { next?.unloaded(models) }
}

/// An observer that does nothing.
package struct NoObserver: RecognitionObserver {
    package init() {}
}
