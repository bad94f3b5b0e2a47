/// Why a batch left the queue.
package enum DispatchReason: String, Sendable, CaseIterable {
    /// A lane was free and took what was there.
    case engineFree = "engine_free"
    /// As many photos as a batch may hold.
    case full
    /// The optional queue delay ran out.
    case delayElapsed = "delay_elapsed"
    /// Other models wait, so that the batch is no larger than a turn allows.
    case fairTurn = "fair_turn"
}

/// Why a photo was not let in.
package enum RefusalCause: String, Sendable, CaseIterable {
    /// As many photos as allowed were inside.
    case inFlight = "photos_in_flight"
    /// The line was full.
    case queueFull = "queue_full"
}

/// Why a photo that was admitted got no answer.
package enum DropReason: String, Sendable, CaseIterable {
    /// Its client left.
    case departed
    /// Its deadline passed.
    case expired
}

/// What came of trying a model.
package enum TrialOutcome: String, Sendable, CaseIterable {
    case passed
    /// The file cannot be served, and it could be said why.
    case refused
    /// It took more memory than it may.
    case memory
    /// It took more time than it may.
    case time
    case crashed
    /// Nobody waits for the model any more.
    case cancelled
}

/// Told of everything that is worth measuring. Called on worker threads, often: return quickly, never block.
package protocol RecognitionObserver: Sendable {
    /// The observer of what one model does: waits, batches and inference.
    ///
    /// - Parameter model: the name of one that is being loaded; asked once each time that it is loaded.
    func observer(ofModel model: String) -> any RecognitionObserver
    /// A photo was decoded in so many seconds of wall time.
    func decoded(seconds: Double)
    /// A photo that is decoded waited so long for a lane.
    func waitedToDecode(seconds: Double)
    /// A photo waited so long for one of its model's lanes.
    func queued(seconds: Double)
    /// The engine took so long for one photo.
    func inferred(seconds: Double)
    /// The second network of a cascade was asked about a photo and took so long.
    func askedSecondStage(seconds: Double)
    /// A lane took a batch.
    func dispatched(size: Int, reason: DispatchReason)
    /// A batch kept a lane for so long, decoding included.
    func served(seconds: Double)
    /// A photo was turned away.
    func refused(_ cause: RefusalCause)
    /// An admitted photo was dropped before it cost anything more.
    func dropped(reason: DropReason)
    /// Photos waiting in a line after a change.
    func queueDepth(_ depth: Int)
    /// A version of a model answers from now on; it was loaded in so many seconds.
    func loaded(_ model: ModelReference, seconds: Double)
    /// A model could not be loaded; whatever was loaded before still answers.
    func failedToLoad(_ model: ModelReference, _ error: RecognitionError)
    /// A model that nobody vouches for was tried in a process of its own.
    func tried(_ outcome: TrialOutcome)
    /// Models were unloaded: by hand, for want of memory, or because nobody asked for them.
    func unloaded(_ models: [ModelReference])
}

extension RecognitionObserver {
    package func observer(ofModel model: String) -> any RecognitionObserver { self }
    package func decoded(seconds: Double) {}
    package func waitedToDecode(seconds: Double) {}
    package func queued(seconds: Double) {}
    package func inferred(seconds: Double) {}
    package func askedSecondStage(seconds: Double) {}
    package func dispatched(size: Int, reason: DispatchReason) {}
    package func served(seconds: Double) {}
    package func refused(_ cause: RefusalCause) {}
    package func dropped(reason: DropReason) {}
    package func queueDepth(_ depth: Int) {}
    package func loaded(_ model: ModelReference, seconds: Double) {}
    package func failedToLoad(_ model: ModelReference, _ error: RecognitionError) {}
    package func tried(_ outcome: TrialOutcome) {}
    package func unloaded(_ models: [ModelReference]) {}
}

/// Measures nothing.
package struct NoObserver: RecognitionObserver {
    package init() {}
}
