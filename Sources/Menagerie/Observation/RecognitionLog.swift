import Base
package import Logging
package import Recognition

/// Logs the events of models, one line each, and passes everything on to another observer.
package struct RecognitionLog: RecognitionObserver {
    private let logger: Logger
    package let next: (any RecognitionObserver)?

    package init(logger: Logger, next: (any RecognitionObserver)? = nil) {
        self.logger = logger
        self.next = next
    }

    package func loaded(_ model: ModelReference, seconds: Double) {
        logger.info("Model loaded", metadata: ["model": "\(model)", "seconds": "\(seconds.rounded3)"])
        next?.loaded(model, seconds: seconds)
    }

    package func failedToLoad(_ model: ModelReference, _ error: RecognitionError) {
        logger.error("Model cannot be served", metadata: ["model": "\(model)", "reason": "\(error)"])
        next?.failedToLoad(model, error)
    }

    package func unloaded(_ models: [ModelReference]) {
        for model in models { logger.info("Model unloaded", metadata: ["model": "\(model)"]) }
        next?.unloaded(models)
    }
}
