import Testing
@testable import Recognition

@Suite("PhotoQueue") struct PhotoQueueTests {
    let start = ContinuousClock.now

    func queue(_ policy: QueuePolicy = QueuePolicy()) -> PhotoQueue<Int> { PhotoQueue(policy: policy) }

    /// Takes everything that waits.
    func taken(from queue: inout PhotoQueue<Int>) -> [Int] {
        var payloads: [Int] = []
        while let entry = queue.next() { payloads.append(entry.payload) }
        return payloads
    }

    func admit(_ photos: Range<Int>, to queue: inout PhotoQueue<Int>, priority: Priority = .interactive) {
        for photo in photos {
            let admitted = queue.admit(photo, id: UInt64(photo), priority: priority, now: start)
            #expect(admitted)
        }
    }

    @Test func `photos leave in the order they came`() {
        var queue = queue()
        #expect(taken(from: &queue) == [])
        admit(0..<6, to: &queue)
        #expect(taken(from: &queue) == Array(0..<6))
    }

    @Test func `a full queue refuses`() {
        var queue = queue(QueuePolicy(maximumDepth: 3))
        admit(0..<3, to: &queue)
        let fourth = queue.admit(3, id: 3, priority: .interactive, now: start)
        #expect(!fourth)
        #expect(queue.count == 3)
    }

    @Test func `a client that left is not answered and frees a place`() {
        var queue = queue(QueuePolicy(maximumDepth: 3))
        admit(0..<3, to: &queue)
        #expect(queue.depart(1) == 1)
        #expect(queue.depart(1) == nil)
        #expect(queue.depart(99) == nil)
        admit(3..<4, to: &queue)
        #expect(taken(from: &queue) == [0, 2, 3])
    }

    @Test func `a photo is dropped exactly at its deadline`() {
        var queue = queue()
        let late = queue.admit(1, id: 1, priority: .interactive, now: start, deadline: start + .milliseconds(10))
        let patient = queue.admit(2, id: 2, priority: .bulk, now: start, deadline: start + .milliseconds(20))
        #expect(late && patient)
        #expect(queue.dropExpired(now: start + .milliseconds(9)) == [])
        #expect(queue.dropExpired(now: start + .milliseconds(10)) == [1])
        #expect(taken(from: &queue) == [2])
    }

    @Test func `interactive photos go first and bulk ones do not starve`() {
        var queue = queue(QueuePolicy(bulkShare: 4))
        admit(100..<104, to: &queue, priority: .bulk)
        admit(0..<8, to: &queue)
        #expect(taken(from: &queue) == [0, 1, 2, 100, 3, 4, 5, 101, 6, 7, 102, 103])
    }

    @Test func `a background photo waits until it may be taken, and then counts as a bulk one`() {
        var queue = queue(QueuePolicy(bulkShare: 4))
        admit(0..<1, to: &queue, priority: .background)
        admit(1..<3, to: &queue, priority: .bulk)
        admit(3..<8, to: &queue)
        #expect((0..<5).compactMap { _ in queue.next(takesBackground: false)?.payload } == [3, 4, 5, 1, 6])
        #expect(taken(from: &queue) == [7, 0, 2])
        admit(8..<9, to: &queue, priority: .background)
        #expect(!queue.hasNext(takesBackground: false) && queue.next(takesBackground: false) == nil)
        #expect(queue.hasNext(takesBackground: true) && queue.depart(8) == 8)
    }

    @Test func `every admitted photo leaves exactly once, whatever happens`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var queue = queue(
                QueuePolicy(
                    maximumDepth: .random(in: 1...20, using: &random), bulkShare: .random(in: 1...4, using: &random)))
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
                case 0: left += queue.next(takesBackground: photo % 3 == 0).map { [$0.payload] } ?? []
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
