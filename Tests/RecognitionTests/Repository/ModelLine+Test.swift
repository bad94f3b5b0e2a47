@testable import Recognition

extension ModelLine {
    /// A single model with its own threads.
    convenience init(
        engine: any InferenceEngine, policy: QueuePolicy, observer: any RecognitionObserver = NoObserver()
    ) throws(RecognitionError) {
        try self.init(engine: engine, lanes: LaneScheduler(policy: policy), observer: observer)
    }
}
