import Base
import Testing
@testable import Recognition

@Suite struct FairQueueTests {
    let start = ContinuousClock.now

    func queue(_ policy: BatchPolicy = BatchPolicy()) -> FairQueue<String, Int> { FairQueue(policy: policy) }

    func admit(_ photos: Range<Int>, to queue: inout FairQueue<String, Int>, model: String) {
        for photo in photos {
            let isAdmitted = queue.admit(photo, to: model, id: UInt64(photo), priority: .interactive, now: start)
            #expect(isAdmitted)
        }
    }

    func turn(_ next: FairQueue<String, Int>.Next) throws -> FairQueue<String, Int>.Turn {
        guard case .turn(let turn) = next else {
            throw RecognitionError.engine("no turn")
        }
        return turn
    }

    @Test func `a model alone fills its batches`() throws {
        var queue = queue(BatchPolicy(maximumBatchSize: 8))
        admit(0..<20, to: &queue, model: "a")
        let first = try turn(queue.next(now: start))
        #expect(first.batch.entries.map(\.payload) == Array(0..<8) && first.batch.reason == .full)
        #expect(queue.count(of: "a") == 12 && queue.count == 12)
    }

    @Test func `beside others a batch is as large as a turn, and says so`() throws {
        var queue = queue(BatchPolicy(maximumBatchSize: 8, maximumTurn: .milliseconds(30)))
        admit(0..<20, to: &queue, model: "a")
        admit(20..<21, to: &queue, model: "b")
        var sizes: [String: [Int]] = [:]
        while case .turn(let turn) = queue.next(now: start) {
            sizes[turn.key, default: []].append(turn.batch.entries.count)
            if turn.key == "a", queue.count(of: "b") > 0 { #expect(turn.batch.reason == .fairTurn) }
            queue.end(turn, seconds: 0.01 * Double(turn.batch.entries.count))
        }
        // At 10 ms per photo a turn takes three photos while b waits, and all of them otherwise.
        #expect(sizes["b"] == [1])
        #expect(sizes["a"]?.first == 3 || sizes["a"]?.first == 8)
        #expect(sizes["a"]?.reduce(0, +) == 20)
    }

    @Test func `a model that only other workers serve is passed over`() throws {
        var queue = queue()
        admit(0..<3, to: &queue, model: "a")
        admit(3..<4, to: &queue, model: "b")
        let turn = try turn(queue.next(now: start) { $0 == "b" ? 1 : 0 })
        #expect(turn.key == "b")
        guard case .empty = queue.next(now: start, workers: { $0 == "b" ? 1 : 0 }) else {
            Issue.record("a worker was given what it cannot serve")
            return
        }
    }

    @Test func `a delay of one model does not hold up another`() throws {
        var queue = queue(BatchPolicy(maximumBatchSize: 2, maximumQueueDelay: .milliseconds(10)))
        admit(0..<1, to: &queue, model: "a")
        admit(1..<3, to: &queue, model: "b")
        #expect(try turn(queue.next(now: start)).key == "b")
        guard case .notBefore(let due) = queue.next(now: start) else {
            Issue.record("the single photo did not wait")
            return
        }
        #expect(due == start + .milliseconds(10))
        #expect(try turn(queue.next(now: due)).key == "a")
    }

    @Test func `one model's full queue is its own`() {
        var queue = queue(BatchPolicy(maximumQueueDepth: 2))
        admit(0..<2, to: &queue, model: "a")
        let third = queue.admit(2, to: "a", id: 2, priority: .interactive, now: start)
        let other = queue.admit(3, to: "b", id: 3, priority: .interactive, now: start)
        #expect(!third && other)
        #expect(queue.remove("a") == [0, 1] && queue.remove("a") == [])
        #expect(queue.removeAll() == [3] && queue.count == 0)
    }

    @Test func `every admitted photo leaves exactly once, whatever happens`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<100 {
            var queue = queue(BatchPolicy(maximumBatchSize: .random(in: 1...5, using: &random), maximumQueueDepth: 10))
            var admitted: Set<Int> = []
            var left: [Int] = []
            var open: [FairQueue<String, Int>.Turn] = []
            for photo in 0..<80 {
                let now = start + .milliseconds(photo)
                let model = ["a", "b", "c"].randomElement(using: &random) ?? "a"
                let deadline = Bool.random(using: &random) ? now + .milliseconds(7) : nil
                let priority = Priority.allCases.randomElement(using: &random) ?? .bulk
                if queue.admit(photo, to: model, id: UInt64(photo), priority: priority, now: now, deadline: deadline) {
                    admitted.insert(photo)
                }
                switch Int.random(in: 0..<6, using: &random) {
                case 0, 1:
                    if case .turn(let turn) = queue.next(now: now, workers: { _ in 2 }) {
                        left += turn.batch.entries.map(\.payload)
                        open.append(turn)
                    }
                case 2:
                    left +=
                        queue.depart(UInt64.random(in: 0...UInt64(photo), using: &random), from: model).map { [$0] }
                        ?? []
                case 3: left += queue.dropExpired(now: now)
                case 4: if let turn = open.popLast() { queue.end(turn, seconds: .random(in: 0...0.1, using: &random)) }
                default: if photo % 40 == 0 { left += queue.remove(model) }
                }
            }
            left += queue.removeAll()
            #expect(left.count == admitted.count && Set(left) == admitted)
        }
    }
}
