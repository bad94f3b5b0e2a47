import Metrics
import Telemetry
import Recognition

/// The metrics of one model's queue and inference, under its name. There are as many names as models were ever
/// loaded; clients cannot invent any.
struct ModelMetrics: RecognitionObserver {
    private let queueSeconds: Timer
    private let inferenceSeconds: Timer
    private let secondStageSeconds: Timer
    private let engineSeconds: Timer
    private let queueDepth: Meter
    /// The metrics of all models.
    let next: (any RecognitionObserver)?

    init(_ metrics: ServiceMetrics, model: String) {
        next = metrics
        queueSeconds = metrics.queueSeconds.with(model)
        inferenceSeconds = metrics.inferenceSeconds.with(model)
        secondStageSeconds = metrics.secondStageSeconds.with(model)
        engineSeconds = metrics.engineSeconds.with(model)
        queueDepth = metrics.queueDepth.with(model)
    }

    func queued(seconds: Double) { queueSeconds.recordSeconds(seconds) }

    func inferred(seconds: Double) { inferenceSeconds.recordSeconds(seconds) }

    func askedSecondStage(seconds: Double) { secondStageSeconds.recordSeconds(seconds) }

    func served(seconds: Double) { engineSeconds.recordSeconds(seconds) }

    func queueDepth(_ depth: Int) { queueDepth.set(depth) }
}
