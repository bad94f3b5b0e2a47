import Base
import Testing
@testable import Recognition

@Suite struct FairQueueTests {
    let start = ContinuousClock.now

    func queue(_ policy: QueuePolicy = QueuePolicy()) -> FairQueue<String, Int> { FairQueue(policy: policy) }

    func admit(_ photos: Range<Int>, to queue: inout FairQueue<String, Int>, model: String) {
        for photo in photos {
            let isAdmitted = queue.admit(photo, to: model, id: UInt64(photo), priority: .interactive, now: start)
            #expect(isAdmitted)
        }
    }

    @Test func `a model alone has every turn`() {
        var queue = queue()
        admit(0..<20, to: &queue, model: "a")
        let turns = (0..<8).map { _ in queue.next() }
        #expect(turns.map { $0?.entry.payload } == Array(0..<8))
        #expect(queue.count(of: "a") == 12 && queue.count == 12)
    }

    @Test func `a photo of another model does not wait for all of a busy one`() {
        var queue = queue()
        admit(0..<20, to: &queue, model: "a")
        admit(20..<21, to: &queue, model: "b")
        var order: [String] = []
        while let turn = queue.next() {
            order.append(turn.key)
            queue.end(turn, seconds: 0.01)
        }
        #expect(order.prefix(2).contains("b") && order.count == 21, "\(order)")
    }

    @Test func `a model that only other workers serve is passed over`() {
        var queue = queue()
        admit(0..<3, to: &queue, model: "a")
        admit(3..<4, to: &queue, model: "b")
        #expect(queue.next { $0 == "b" }?.key == "b")
        #expect(queue.next { $0 == "b" }?.key == nil, "a worker was given what it cannot serve")
    }

    @Test func `one model's full queue is its own`() {
        var queue = queue(QueuePolicy(maximumDepth: 2))
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
            var queue = queue(QueuePolicy(maximumDepth: 10))
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
                    if let turn = queue.next() {
                        left.append(turn.entry.payload)
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
