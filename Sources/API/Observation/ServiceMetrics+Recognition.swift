import Metrics
package import Recognition
import Telemetry

extension ServiceMetrics: RecognitionObserver {
    package func decoded(seconds: Double) { decodeSeconds.recordSeconds(seconds) }

    package func waitedToDecode(seconds: Double) { decodeQueueSeconds.recordSeconds(seconds) }

    package func observer(ofModel model: String) -> any RecognitionObserver { ModelMetrics(self, model: model) }

    package func refused(_ cause: RefusalCause) { refuse(cause.rawValue) }

    package func tried(_ outcome: TrialOutcome) {
        trials.with(outcome.rawValue).increment()
        if outcome == .crashed { crashed(over: .model) }
    }

    package func dropped(reason: DropReason) { dropped.with(reason.rawValue).increment() }
}
