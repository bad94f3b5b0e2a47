package import Logging
package import Recognition

/// Logs the events of models, one line each, and passes everything on to another observer.
package struct RecognitionLog: RecognitionObserver {
    private let logger: Logger
    private let next: any RecognitionObserver

    package init(logger: Logger, next: any RecognitionObserver = NoObserver()) {
        self.logger = logger
        self.next = next
    }

    /// The events of a single model's work are measured, not logged.
    package func observer(ofModel model: String) -> any RecognitionObserver { next.observer(ofModel: model) }

    package func loaded(_ model: ModelReference, seconds: Double) {
        logger.info(
            "Model loaded", metadata: ["model": "\(model)", "seconds": "\((seconds * 1000).rounded() / 1000)"])
        next.loaded(model, seconds: seconds)
    }

    package func failedToLoad(_ model: ModelReference, _ error: RecognitionError) {
        logger.error("Model cannot be served", metadata: ["model": "\(model)", "reason": "\(error)"])
        next.failedToLoad(model, error)
    }

    package func unloaded(_ models: [ModelReference]) {
        for model in models { logger.info("Model unloaded", metadata: ["model": "\(model)"]) }
        next.unloaded(models)
    }

    package func tried(_ outcome: TrialOutcome) { next.tried(outcome) }
    package func decoded(seconds: Double) { next.decoded(seconds: seconds) }
    package func waitedToDecode(seconds: Double) { next.waitedToDecode(seconds: seconds) }
    package func queued(seconds: Double) { next.queued(seconds: seconds) }
    package func inferred(seconds: Double) { next.inferred(seconds: seconds) }
    package func askedSecondStage(seconds: Double) { next.askedSecondStage(seconds: seconds) }
    package func served(seconds: Double) { next.served(seconds: seconds) }
    package func refused(_ cause: RefusalCause) { next.refused(cause) }
    package func dropped(reason: DropReason) { next.dropped(reason: reason) }
    package func queueDepth(_ depth: Int) { next.queueDepth(depth) }
}
