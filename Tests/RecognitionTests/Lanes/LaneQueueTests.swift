import Testing
@testable import Recognition

@Suite("LaneQueue") struct LaneQueueTests {
    /// A queue with lines `a`, `b` and `c`, one lane each. Its photos are known by their numbers.
    final class Lines {
        let start = ContinuousClock.now
        var queue: LaneQueue
        let lines: [String: LaneScheduler.Line]

        init(_ policy: QueuePolicy = QueuePolicy(), widths: [String: Int] = ["a": 1, "b": 1, "c": 1]) {
            queue = LaneQueue(policy: policy)
            lines = Dictionary(
                uniqueKeysWithValues: widths.keys.sorted().enumerated().map { number, name in
                    let width = widths[name] ?? 1
                    return (name, LaneScheduler.Line(id: UInt64(number), width: width, observer: NoObserver()))
                })
            for line in lines.values { queue.open(line) }
        }

        func line(_ name: String) -> LaneScheduler.Line {
            lines[name] ?? LaneScheduler.Line(id: 99, width: 1, observer: NoObserver())
        }

        func name(of work: LaneScheduler.Work) -> String { lines.first { $1.id == work.line.id }?.key ?? "" }

        func count(_ name: String) -> Int { queue.count(of: line(name)) }

        /// - Returns: whether the photo was admitted.
        func admit(
            _ photo: Int, to name: String = "a", isBegun: Bool = false, priority: Priority = .interactive,
            after milliseconds: Int = 0, deadline: Int? = nil
        ) -> Bool {
            let work = LaneScheduler.Work(
                id: UInt64(photo), line: line(name), isBegun: isBegun, priority: priority,
                admitted: start + .milliseconds(milliseconds), deadline: deadline.map { start + .milliseconds($0) })
            return (try? queue.admit(work)) != nil
        }

        func admit(_ photos: Range<Int>, to name: String = "a", priority: Priority = .interactive) {
            for photo in photos {
                let isAdmitted = admit(photo, to: name, priority: priority)
                #expect(isAdmitted)
            }
        }

        func next(lane: Int = 0, after milliseconds: Int = 0) -> LaneScheduler.Work? {
            queue.next(for: lane, now: start + .milliseconds(milliseconds))
        }

        func end(_ work: LaneScheduler.Work, seconds: Double, after milliseconds: Int = 0) {
            queue.end(work, now: start + .milliseconds(milliseconds), seconds: seconds)
        }

        /// Takes everything that may be taken, one after the other, each for 10 ms.
        func taken(after milliseconds: Int = 0) -> [Int] {
            var photos: [Int] = []
            while let work = next(after: milliseconds) {
                photos.append(Int(work.id))
                end(work, seconds: 0.01, after: milliseconds)
            }
            return photos
        }

        func depart(_ photo: Int, from name: String = "a") -> Int? {
            queue.depart(UInt64(photo), from: line(name)).map { Int($0.id) }
        }

        func dropExpired(after milliseconds: Int) -> [Int] {
            queue.dropExpired(now: start + .milliseconds(milliseconds)).map { Int($0.id) }
        }

        func stop(_ name: String) -> [Int]? {
            queue.stop(line(name), finishingQueue: false)?.map { Int($0.id) }
        }
    }

    @Suite("One line") struct OneLine {
        @Test func `photos leave in the order they came`() {
            let lines = Lines()
            #expect(lines.taken() == [])
            lines.admit(0..<6)
            #expect(lines.taken() == Array(0..<6))
        }

        @Test func `a full line refuses`() {
            let lines = Lines(QueuePolicy(maximumDepth: 3))
            lines.admit(0..<3)
            #expect(!lines.admit(3))
            #expect(lines.count("a") == 3)
        }

        @Test func `a client that left is not answered and frees a place`() {
            let lines = Lines(QueuePolicy(maximumDepth: 3))
            lines.admit(0..<3)
            #expect(lines.depart(1) == 1)
            #expect(lines.depart(1) == nil)
            #expect(lines.depart(99) == nil)
            lines.admit(3..<4)
            #expect(lines.taken() == [0, 2, 3])
        }

        @Test func `a photo is dropped exactly at its deadline`() {
            let lines = Lines()
            #expect(lines.admit(1, deadline: 10))
            #expect(lines.admit(2, priority: .bulk, deadline: 20))
            #expect(lines.dropExpired(after: 9) == [])
            #expect(lines.dropExpired(after: 10) == [1])
            #expect(lines.taken() == [2])
        }

        @Test func `interactive photos go first and bulk ones do not starve`() {
            let lines = Lines(QueuePolicy(bulkShare: 4))
            lines.admit(100..<104, priority: .bulk)
            lines.admit(0..<8)
            #expect(lines.taken() == [0, 1, 2, 100, 3, 4, 5, 101, 6, 7, 102, 103])
        }

        @Test func `a background photo waits until it may be taken, and then counts as a bulk one`() {
            let lines = Lines(QueuePolicy(bulkShare: 4))
            lines.admit(0..<1, priority: .background)
            lines.admit(1..<3, priority: .bulk)
            lines.admit(3..<8)
            #expect((0..<5).compactMap { _ in lines.next()?.id } == [3, 4, 5, 1, 6])
            #expect((0..<3).compactMap { _ in lines.next(after: 40)?.id } == [7, 0, 2])
            #expect(lines.admit(8, priority: .background, after: 40))
            // Interactive photos are in work.
            #expect(lines.next(after: 41) == nil)
            #expect(lines.depart(8) == 8)
        }
    }

    @Test func `a line alone has every turn`() {
        let lines = Lines()
        lines.admit(0..<20)
        #expect((0..<8).compactMap { _ in lines.next()?.id } == Array(0..<8))
        #expect(lines.count("a") == 12)
    }

    @Test func `a photo of another line does not wait for all of a busy one`() {
        let lines = Lines()
        lines.admit(0..<20)
        lines.admit(20..<21, to: "b")
        let order = lines.taken()
        #expect(order.prefix(2).contains(20) && order.count == 21, "\(order)")
    }

    @Test func `a line that only other lanes serve is passed over`() {
        let lines = Lines(widths: ["a": 1, "b": 2])
        lines.admit(0..<3)
        lines.admit(3..<4, to: "b")
        #expect(lines.next(lane: 1)?.id == 3)
        #expect(lines.next(lane: 1) == nil, "a lane was given what it cannot serve")
    }

    @Test func `one line's full queue is its own`() {
        let lines = Lines(QueuePolicy(maximumDepth: 2))
        lines.admit(0..<2)
        #expect(!lines.admit(2))
        #expect(lines.admit(3, to: "b"))
        #expect(lines.stop("a") == [0, 1] && lines.stop("a") == nil)
        #expect(!lines.admit(4), "a stopped line took work")
        #expect(lines.taken() == [3])
    }

    @Test func `every admitted photo leaves exactly once, whatever happens`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let lines = Lines(
                QueuePolicy(
                    maximumDepth: .random(in: 1...20, using: &random), bulkShare: .random(in: 1...4, using: &random)))
            var admitted: Set<Int> = []
            var left: [Int] = []
            var open: [LaneScheduler.Work] = []
            for photo in 0..<80 {
                let name = ["a", "b", "c"].randomElement(using: &random) ?? "a"
                let deadline = Bool.random(using: &random) ? photo + 7 : nil
                let priority = Priority.allCases.randomElement(using: &random) ?? .bulk
                let isBegun = Bool.random(using: &random)
                if lines.admit(
                    photo, to: name, isBegun: isBegun, priority: priority, after: photo, deadline: deadline)
                {
                    admitted.insert(photo)
                }
                switch Int.random(in: 0..<6, using: &random) {
                case 0, 1:
                    if let work = lines.next(after: photo) {
                        left.append(Int(work.id))
                        open.append(work)
                    }
                case 2:
                    left += lines.depart(Int.random(in: 0...photo, using: &random), from: name).map { [$0] } ?? []
                case 3: left += lines.dropExpired(after: photo)
                case 4:
                    if let work = open.popLast() {
                        lines.end(work, seconds: .random(in: 0...0.1, using: &random), after: photo)
                    }
                default: if photo % 40 == 0 { left += lines.stop(name) ?? [] }
                }
            }
            for name in ["a", "b", "c"] { left += lines.stop(name) ?? [] }
            #expect(left.count == admitted.count && Set(left) == admitted)
        }
    }

    @Suite("Fair turns") struct FairTurns {
        /// Serves lines that always have waiting photos, until this many seconds have passed. A turn is one photo.
        ///
        /// - Parameter costs: the seconds per photo.
        /// - Returns: the seconds and photos of each line.
        func serve(
            _ lines: Lines, _ costs: [String: Double], for seconds: Double
        ) -> [String: (seconds: Double, photos: Int)] {
            var served: [String: (seconds: Double, photos: Int)] = [:]
            var time = 0.0
            while time < seconds {
                for name in costs.keys where lines.count(name) == 0 { lines.admit(0..<1, to: name) }
                guard let work = lines.next(), let cost = costs[lines.name(of: work)] else { break }
                lines.end(work, seconds: cost)
                served[lines.name(of: work), default: (0, 0)].seconds += cost
                served[lines.name(of: work), default: (0, 0)].photos += 1
                time += cost
            }
            return served
        }

        @Test func `lines get the same time, whatever their photos cost`() throws {
            let lines = Lines(widths: ["quick": 1, "slow": 1, "middling": 1])
            let served = serve(lines, ["quick": 0.001, "slow": 0.009, "middling": 0.003], for: 9)
            for name in ["quick", "slow", "middling"] {
                #expect(abs(try #require(served[name]).seconds - 3) < 0.03, "\(name): \(served)")
            }
            #expect(try #require(served["quick"]).photos > 8 * #require(served["slow"]).photos)
        }

        @Test func `idleness earns no credit`() throws {
            let lines = Lines(widths: ["early": 1, "late": 1])
            _ = serve(lines, ["early": 0.01], for: 100)
            let served = serve(lines, ["early": 0.01, "late": 0.01], for: 1)
            #expect(abs(try #require(served["early"]).photos - #require(served["late"]).photos) <= 2, "\(served)")
        }

        @Test func `a line with one photo at a time gets its half beside a flood`() throws {
            // The line that returns after each answer asks only every second time. It then gets its turn at once.
            let lines = Lines(widths: ["flood": 1, "single": 1])
            var photos = 0
            for turn in 0..<200 {
                if lines.count("flood") == 0 { lines.admit(0..<1, to: "flood") }
                if turn % 2 == 1, lines.count("single") == 0 { lines.admit(0..<1, to: "single") }
                let work = try #require(lines.next())
                lines.end(work, seconds: 0.01)
                photos += lines.name(of: work) == "single" ? 1 : 0
            }
            #expect(photos >= 98)
        }

        @Test func `lanes that take work at the same time spread over the lines`() {
            let lines = Lines()
            for name in ["a", "b", "c"] { lines.admit(0..<6, to: name) }
            let begun = (0..<6).compactMap { _ in lines.next().map(lines.name) }
            #expect(begun.sorted() == ["a", "a", "b", "b", "c", "c"])
        }
    }
}
