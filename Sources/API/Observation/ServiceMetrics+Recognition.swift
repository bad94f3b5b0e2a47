package import Recognition
import Telemetry

extension ServiceMetrics: RecognitionObserver {
    package func decoded(seconds: Double) { decodeSeconds.observe(seconds) }

    package func waitedToDecode(seconds: Double) { decodeQueueSeconds.observe(seconds) }

    package func queued(seconds: Double) { queueSeconds.observe(seconds) }

    package func inferred(seconds: Double) { inferenceSeconds.observe(seconds) }

    package func dispatched(size: Int, reason: DispatchReason) {
        batchSize.observe(Double(size))
        batches.with(reason.rawValue).increment()
    }

    package func served(seconds: Double) { engineSeconds.observe(seconds) }

    package func refused(_ cause: RefusalCause) { refuse(cause.rawValue) }

    package func dropped(reason: DropReason) { dropped.with(reason.rawValue).increment() }

    package func queueDepth(_ depth: Int) { queueDepth.set(depth) }
}
