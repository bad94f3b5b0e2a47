import Testing
@testable import Recognition

@Suite("BatchQueue") struct BatchQueueTests {
    let start = ContinuousClock.now

    func queue(_ policy: BatchPolicy = BatchPolicy()) -> BatchQueue<Int> { BatchQueue(policy: policy) }

    func payloads(_ next: BatchQueue<Int>.Next) -> [Int]? {
        guard case .batch(let batch) = next else { return nil }
        return batch.entries.map(\.payload)
    }

    func admit(_ photos: Range<Int>, to queue: inout BatchQueue<Int>, priority: Priority = .interactive) {
        for photo in photos {
            let admitted = queue.admit(photo, id: UInt64(photo), priority: priority, now: start)
            #expect(admitted)
        }
    }

    @Test func `an empty queue has nothing`() {
        var queue = queue()
        guard case .empty = queue.next(now: start) else {
            Issue.record("an empty queue gave something")
            return
        }
    }

    @Test func `photos leave in the order they came, up to the cap`() {
        var queue = queue(BatchPolicy(maximumBatchSize: 4))
        admit(0..<6, to: &queue)
        #expect(payloads(queue.next(now: start)) == [0, 1, 2, 3])
        #expect(payloads(queue.next(now: start)) == [4, 5])
    }

    @Test func `one photo alone leaves at once`() {
        var queue = queue()
        admit(7..<8, to: &queue)
        guard case .batch(let batch) = queue.next(now: start) else {
            Issue.record("the photo had to wait")
            return
        }
        #expect(batch.entries.map(\.payload) == [7])
        #expect(batch.reason == .engineFree)
    }

    @Test func `several workers share what waits`() {
        var queue = queue(BatchPolicy(maximumBatchSize: 8))
        admit(0..<5, to: &queue)
        #expect(payloads(queue.next(now: start, workers: 2)) == [0, 1, 2])
        #expect(payloads(queue.next(now: start, workers: 2)) == [3])
    }

    @Test func `a full queue refuses`() {
        var queue = queue(BatchPolicy(maximumQueueDepth: 3))
        admit(0..<3, to: &queue)
        let fourth = queue.admit(3, id: 3, priority: .interactive, now: start)
        #expect(!fourth)
        #expect(queue.count == 3)
    }

    @Test func `a client that left is not answered and frees a place`() {
        var queue = queue(BatchPolicy(maximumQueueDepth: 3))
        admit(0..<3, to: &queue)
        #expect(queue.depart(1) == 1)
        #expect(queue.depart(1) == nil)
        #expect(queue.depart(99) == nil)
        admit(3..<4, to: &queue)
        #expect(payloads(queue.next(now: start)) == [0, 2, 3])
    }

    @Test func `a photo is dropped exactly at its deadline`() {
        var queue = queue()
        let late = queue.admit(1, id: 1, priority: .interactive, now: start, deadline: start + .milliseconds(10))
        let patient = queue.admit(2, id: 2, priority: .bulk, now: start, deadline: start + .milliseconds(20))
        #expect(late && patient)
        #expect(queue.dropExpired(now: start + .milliseconds(9)) == [])
        #expect(queue.dropExpired(now: start + .milliseconds(10)) == [1])
        #expect(payloads(queue.next(now: start + .milliseconds(10))) == [2])
    }

    @Test func `interactive photos go first and bulk ones do not starve`() {
        var queue = queue(BatchPolicy(maximumBatchSize: 8, bulkShare: 4))
        admit(100..<104, to: &queue, priority: .bulk)
        admit(0..<8, to: &queue)
        #expect(payloads(queue.next(now: start)) == [0, 1, 2, 100, 3, 4, 5, 101])
        #expect(payloads(queue.next(now: start)) == [6, 7, 102, 103])
    }

    @Test func `with a delay a batch waits for company, but not for ever`() {
        var queue = queue(BatchPolicy(maximumBatchSize: 3, maximumQueueDelay: .milliseconds(5)))
        admit(0..<2, to: &queue)
        guard case .notBefore(let due) = queue.next(now: start + .milliseconds(4)) else {
            Issue.record("the batch did not wait")
            return
        }
        #expect(due == start + .milliseconds(5))
        guard case .batch(let batch) = queue.next(now: start + .milliseconds(5)) else {
            Issue.record("the batch waited too long")
            return
        }
        #expect(batch.reason == .delayElapsed)
        admit(0..<3, to: &queue)
        guard case .batch(let full) = queue.next(now: start) else {
            Issue.record("a full batch waited")
            return
        }
        #expect(full.reason == .full && full.entries.count == 3)
    }

    @Test func `every admitted photo leaves exactly once, whatever happens`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var queue = queue(
                BatchPolicy(
                    maximumBatchSize: .random(in: 1...5, using: &random),
                    maximumQueueDepth: .random(in: 1...20, using: &random),
                    bulkShare: .random(in: 1...4, using: &random)))
            var admitted: Set<Int> = []
            var left: [Int] = []
            for photo in 0..<60 {
                let now = start + .milliseconds(photo)
                let deadline = Bool.random(using: &random) ? now + .milliseconds(5) : nil
                let priority = Priority.allCases.randomElement(using: &random) ?? .bulk
                if queue.admit(photo, id: UInt64(photo), priority: priority, now: now, deadline: deadline) {
                    admitted.insert(photo)
                }
                switch Int.random(in: 0..<4, using: &random) {
                case 0: left += payloads(queue.next(now: now, workers: .random(in: 1...3, using: &random))) ?? []
                case 1: left += queue.depart(UInt64.random(in: 0...UInt64(photo), using: &random)).map { [$0] } ?? []
                case 2: left += queue.dropExpired(now: now)
                default: break
                }
            }
            left += queue.removeAll()
            #expect(left.count == admitted.count && Set(left) == admitted)
        }
    }
}

@Suite("ServiceRate") struct ServiceRateTests {
    @Test func `settles on the measured rate and ignores idle time`() {
        var rate = ServiceRate()
        var now = ContinuousClock.now
        for photo in 0..<400 {
            // Every tenth completion leaves the engine idle for a second.
            rate.complete(now: now, isBusy: photo % 10 != 9)
            now += photo % 10 == 9 ? .seconds(1) : .milliseconds(4)
        }
        #expect(abs(rate.secondsPerPhoto - 0.004) < 0.0001)
        #expect(abs(rate.drainTime(of: 100).seconds - 0.4) < 0.01)
    }
}
