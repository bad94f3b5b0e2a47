@testable import Recognition

extension ModelLine {
    /// One model with threads of its own.
    convenience init(
        engine: any InferenceEngine, policy: BatchPolicy, observer: any RecognitionObserver = NoObserver()
    ) throws(RecognitionError) {
        try self.init(engine: engine, lanes: LaneScheduler(policy: policy), observer: observer)
    }
}
