import Base
import Dispatch

/// What ``EngineLanes`` keeps behind its lock.
struct EngineLanesState {
    typealias ModelID = EngineLanes.ModelID
    typealias Request = EngineLanes.Request
    typealias Turn = FairQueue<ModelID, Request>.Turn

    struct Model {
        let engine: any InferenceEngine
        let observer: any RecognitionObserver
        var rate = ServiceRate()
        var inEngine = 0
        /// Turns that have not ended.
        var turns = 0
        var isStopped = false
        /// Signalled when a stopped model has nothing left to do.
        let isDone = DispatchSemaphore(value: 0)
    }

    /// What a thread is to do next.
    enum Work {
        case turn(Turn, any InferenceEngine, any RecognitionObserver)
        case expired([(Request, (any RecognitionObserver)?)])
        case stop
    }

    private(set) var models: [ModelID: Model] = [:]
    var queue: FairQueue<ModelID, Request>
    var threads: [WorkerThread] = []
    /// Threads of an earlier generation end.
    private var generation = 0
    private var lastModel: ModelID = 0
    private var lanes = 0

    init(policy: BatchPolicy) {
        queue = FairQueue(policy: policy)
    }

    /// Whether every thread can serve every model.
    var isUniform: Bool { models.values.allSatisfy { $0.engine.lanes == lanes } }

    /// - Returns: the model's name here, the lanes that need a thread, and the threads' generation.
    mutating func open(
        _ engine: any InferenceEngine, observer: any RecognitionObserver
    ) -> (ModelID, Range<Int>, generation: Int) {
        lastModel += 1
        models[lastModel] = Model(engine: engine, observer: observer)
        let before = lanes
        lanes = max(lanes, engine.lanes)
        return (lastModel, before..<lanes, generation)
    }

    /// Takes no more photos for a model.
    ///
    /// - Returns: photos to be refused, and what to wait for; nil when the model is stopped already.
    mutating func stop(_ id: ModelID, finishingQueue: Bool) -> ([Request], DispatchSemaphore?) {
        guard let model = models[id], !model.isStopped else { return ([], nil) }
        models[id]?.isStopped = true
        let waiting = finishingQueue ? [] : queue.remove(id)
        signalIfDone(id)
        return (waiting, model.isDone)
    }

    /// Forgets a model that was stopped and is done.
    ///
    /// - Returns: threads to be joined: all, after the last model.
    mutating func close(_ id: ModelID) -> [WorkerThread] {
        models[id] = nil
        _ = queue.remove(id)
        guard models.isEmpty else { return [] }
        generation += 1
        lanes = 0
        defer { threads = [] }
        return threads
    }

    /// - Returns: why the photo is not taken.
    mutating func admit(
        _ request: Request, id: UInt64, priority: Priority, deadline: ContinuousClock.Instant?
    ) -> RecognitionError? {
        guard let model = models[request.model], !model.isStopped else { return .stopped }
        let isAdmitted = queue.admit(
            request, to: request.model, id: id, priority: priority, now: .now, deadline: deadline)
        let backlog = queue.count(of: request.model) + model.inEngine
        return isAdmitted ? nil : .overloaded(retryAfter: model.rate.drainTime(of: backlog))
    }

    /// What the thread of a lane does now.
    mutating func next(lane: Int, generation: Int) -> Monitor<EngineLanesState>.Step<Work> {
        guard generation == self.generation else { return .done(.stop) }
        let now = ContinuousClock.now
        let expired = queue.dropExpired(now: now)
        guard expired.isEmpty else {
            for request in expired { signalIfDone(request.model) }
            return .done(.expired(expired.map { ($0, models[$0.model]?.observer) }))
        }
        let next = queue.next(now: now) { [models] id in
            let lanes = models[id]?.engine.lanes ?? 0
            return lane < lanes ? lanes : 0
        }
        switch next {
        case .turn(let turn):
            // A queue is removed with its model.
            guard let model = models[turn.key] else { return .wait }
            models[turn.key]?.inEngine += turn.batch.entries.count
            models[turn.key]?.turns += 1
            return .done(.turn(turn, model.engine, model.observer))
        case .notBefore(let instant):
            return .waitFor(instant - now)
        case .empty:
            return .wait
        }
    }

    /// A photo is answered.
    mutating func complete(_ id: ModelID, now: ContinuousClock.Instant) {
        models[id]?.inEngine -= 1
        let isBusy = (models[id]?.inEngine ?? 0) + queue.count(of: id) > 0
        models[id]?.rate.complete(now: now, isBusy: isBusy)
    }

    /// A turn has ended.
    mutating func end(_ turn: Turn, seconds: Double) {
        queue.end(turn, seconds: seconds)
        models[turn.key]?.turns -= 1
        signalIfDone(turn.key)
    }

    /// Wakes who waits for a stopped model when it has nothing left to do.
    mutating func signalIfDone(_ id: ModelID) {
        guard let model = models[id], model.isStopped, model.turns == 0, queue.count(of: id) == 0 else { return }
        model.isDone.signal()
    }
}
