import Imaging
import Streams
import Testing

/// The timer's states, by tables of the sightings in each frame.
struct LapTimerTests {
    /// A car with a fifth of the picture's width and its centre at x.
    private func car(_ x: Double, track: Int = 1, y: Double = 0.5, label: String = "car") -> LapSighting {
        LapSighting(
            track: track, label: label, region: PictureRegion(x: x - 0.1, y: y - 0.05, width: 0.2, height: 0.1),
            confidence: 0.8)
    }

    /// Drives a car through the picture in 20 frames of 50 ms. It passes the middle after 500 ms.
    @discardableResult
    private func drive(_ timer: inout LapTimer, from start: Double, track: Int, backwards: Bool = false) -> [LapEvent] {
        var events: [LapEvent] = []
        for frame in 0..<20 {
            let x = Double(frame) / 20
            events += timer.observe(
                [car(backwards ? 1 - x : x, track: track)], atMilliseconds: start + Double(frame) * 50)
        }
        // The car is out of sight.
        for frame in 20..<40 { events += timer.observe([], atMilliseconds: start + Double(frame) * 50) }
        return events
    }

    private func laps(_ events: [LapEvent]) -> [Lap] {
        events.compactMap { if case .lap(let lap) = $0 { lap } else { nil } }
    }

    private func states(_ events: [LapEvent]) -> [LapState] {
        events.compactMap { if case .state(let state) = $0 { state } else { nil } }
    }

    @Test func `Of several in sight the one that is named is timed`() throws {
        var timer = LapTimer(configuration: LapConfiguration())
        _ = timer.observe([car(0.2, label: "truck"), car(0.6, track: 2, label: "bus")], atMilliseconds: 0)
        #expect(throws: LapError.noCandidate) { try timer.start("ship") }
        #expect(states(try timer.start("bus")) == [.start] && timer.label == "bus")
        var named = LapTimer(configuration: LapConfiguration(label: "car"))
        _ = named.observe([car(0.2, label: "truck")], atMilliseconds: 0)
        #expect(states(try named.start("truck")) == [.start] && named.label == "car", "what it was made for")
    }

    @Test func `From warm-up by hand to start, at the first passing to lapping, at the next to end and on`() throws {
        var timer = LapTimer(configuration: LapConfiguration())
        #expect(timer.state == .warmUp && timer.candidates.isEmpty)
        _ = timer.observe([car(0.2)], atMilliseconds: 0)
        #expect(timer.candidates == [LapCandidate(label: "car", confidence: 0.8)])
        #expect(states(try timer.start()) == [.start])
        #expect(timer.label == "car")
        #expect(states(drive(&timer, from: 1_000, track: 1)) == [.lapping])
        let events = drive(&timer, from: 11_000, track: 2)
        #expect(states(events) == [.end, .lapping])
        let lap = try #require(laps(events).first)
        #expect(lap.number == 1 && lap.label == "car" && lap.runner == 1 && lap.track == 2)
        #expect(abs(lap.lapMilliseconds - 10_000) < 1)
        #expect(abs(lap.startedMilliseconds - 1_500) < 1)
        #expect(states(timer.warmUp()) == [.warmUp])
        #expect(timer.laps.count == 1)
        #expect(laps(drive(&timer, from: 21_000, track: 3)).isEmpty)
    }

    @Test func `A timer cannot start without a candidate, or twice`() throws {
        var timer = LapTimer(configuration: LapConfiguration())
        #expect(throws: LapError.noCandidate) { try timer.start() }
        _ = timer.observe([car(0.2)], atMilliseconds: 0)
        _ = timer.observe([], atMilliseconds: 3_000)
        #expect(throws: LapError.noCandidate) { try timer.start() }
        var named = LapTimer(configuration: LapConfiguration(label: "car"))
        _ = try named.start()
        #expect(throws: LapError.alreadyStarted) { try named.start() }
    }

    @Test func `Who stops on the line and trembles there passes it once`() throws {
        var timer = LapTimer(configuration: LapConfiguration(label: "car", minimumMilliseconds: 100))
        _ = try timer.start()
        var events: [LapEvent] = []
        var now = 0.0
        func show(_ x: Double) {
            events += timer.observe([car(x)], atMilliseconds: now)
            now += 50
        }
        for step in 0..<10 { show(Double(step) / 20) }
        for step in 0..<100 { show(0.5 + (step % 2 == 0 ? 0.008 : -0.008)) }
        for step in 10..<20 { show(Double(step) / 20) }
        #expect(events.filter { if case .started = $0 { true } else { false } }.count == 1)
        #expect(laps(events).isEmpty)
    }

    @Test func `A lap that is too short does not count`() throws {
        var timer = LapTimer(configuration: LapConfiguration(label: "car", minimumMilliseconds: 5_000))
        _ = try timer.start()
        drive(&timer, from: 0, track: 1)
        #expect(laps(drive(&timer, from: 4_000, track: 1)).isEmpty)
        #expect(laps(drive(&timer, from: 12_000, track: 1)).map { ($0.lapMilliseconds / 10).rounded() } == [1_200])
    }

    @Test func `The way back on the far side of the track closes no lap`() throws {
        var timer = LapTimer(configuration: LapConfiguration(label: "car", minimumMilliseconds: 1_000))
        _ = try timer.start()
        drive(&timer, from: 0, track: 1)
        #expect(laps(drive(&timer, from: 3_000, track: 1, backwards: true)).isEmpty)
        #expect(laps(drive(&timer, from: 6_000, track: 1)).count == 1)
    }

    @Test func `Two of one kind have laps of their own`() throws {
        var timer = LapTimer(configuration: LapConfiguration(label: "car", minimumMilliseconds: 4_000))
        _ = try timer.start()
        var events: [LapEvent] = []
        // The second car comes two seconds after the first. Their laps take 10 and 11 seconds.
        for (time, track) in [(0.0, 1), (2_000, 2), (10_000, 3), (13_000, 4), (20_000, 5), (24_000, 6)] {
            events += drive(&timer, from: time, track: track)
        }
        #expect(laps(events).map(\.runner) == [1, 2, 1, 2])
        #expect(laps(events).map { ($0.lapMilliseconds / 100).rounded() } == [100, 110, 100, 110])
    }

    @Test func `A line is passed between its ends only`() throws {
        let line = LapConfiguration.Line(from: .init(x: 0.5, y: 0.6), to: .init(x: 0.5, y: 1))
        for (y, count) in [(0.8, 1), (0.2, 0)] {
            var timer = LapTimer(configuration: LapConfiguration(label: "car", line: line))
            _ = try timer.start()
            var events: [LapEvent] = []
            for frame in 0..<20 {
                events += timer.observe([car(Double(frame) / 20, y: y)], atMilliseconds: Double(frame) * 50)
            }
            #expect(events.filter { if case .started = $0 { true } else { false } }.count == count)
        }
    }

    @Test func `Other kinds are not timed`() throws {
        var timer = LapTimer(configuration: LapConfiguration(label: "car"))
        _ = try timer.start()
        for frame in 0..<20 {
            #expect(
                timer.observe([car(Double(frame) / 20, label: "person")], atMilliseconds: Double(frame) * 50).isEmpty)
        }
    }

    @Test func `What was chosen counts by its own probability, whatever the first guess is`() throws {
        var timer = LapTimer(configuration: LapConfiguration(label: "cat", threshold: 0.5))
        _ = try timer.start()
        /// A passing by a track that the network calls a dog, with some probability of a cat.
        func pass(from start: Double, track: Int, cat: Double) {
            for frame in 0..<20 {
                let sighting = LapSighting(
                    track: track, label: "dog",
                    region: PictureRegion(x: Double(frame) / 20 - 0.05, y: 0.45, width: 0.1, height: 0.1),
                    confidence: 1 - cat, others: [LapCandidate(label: "cat", confidence: cat)])
                _ = timer.observe([sighting], atMilliseconds: start + Double(frame) * 50)
            }
            _ = timer.observe([], atMilliseconds: start + 3_000)
        }
        pass(from: 0, track: 1, cat: 0.4)
        pass(from: 5_000, track: 2, cat: 0.35)
        #expect(timer.laps.map { Int($0.lapMilliseconds.rounded()) } == [5_000])
        // The threshold is half of the best sighting so far.
        pass(from: 10_000, track: 3, cat: 0.1)
        #expect(timer.laps.count == 1)
    }

    @Test func `What is doubtful beside the candidate is not seen`() throws {
        for (confidence, count) in [(0.5, 1), (0.3, 0)] {
            var timer = LapTimer(configuration: LapConfiguration(threshold: 0.5))
            _ = timer.observe([car(0.1)], atMilliseconds: 0)
            _ = try timer.start()
            var events: [LapEvent] = []
            for frame in 0..<20 {
                let sighting = LapSighting(
                    track: 2, label: "car",
                    region: PictureRegion(x: Double(frame) / 20 - 0.1, y: 0.45, width: 0.2, height: 0.1),
                    confidence: confidence)
                events += timer.observe([sighting], atMilliseconds: 100 + Double(frame) * 50)
            }
            #expect(events.filter { if case .started = $0 { true } else { false } }.count == count)
        }
    }

    @Test func `A lap taken back joins the next one, the last one the clock that runs`() throws {
        var timer = LapTimer(configuration: LapConfiguration(label: "car"))
        _ = try timer.start()
        for lap in 0..<4 { drive(&timer, from: Double(lap) * 10_000, track: lap + 1) }
        #expect(timer.laps.map(\.number) == [1, 2, 3])
        try timer.undo(lap: 1)
        #expect(timer.laps.map { ($0.lapMilliseconds / 1000).rounded() } == [20, 10])
        try timer.undo(lap: 3)
        drive(&timer, from: 40_000, track: 9)
        #expect(timer.laps.map(\.number) == [2, 4])
        #expect(timer.laps.map { ($0.lapMilliseconds / 1000).rounded() } == [20, 20])
        #expect(throws: LapError.unknownLap(3)) { try timer.undo(lap: 3) }
    }

    /// Shows a car in one place for a second, and nothing for four.
    private func appear(_ timer: inout LapTimer, at start: Double, x: Double = 0.2, track: Int) -> [LapEvent] {
        (0..<100).reduce(into: []) { events, frame in
            events += timer.observe(
                frame < 20 ? [car(x + Double(frame) / 200, track: track)] : [],
                atMilliseconds: start + Double(frame) * 50)
        }
    }

    @Test func `Without a line, an object that stays beside the middle is counted whenever it comes into sight`() throws
    {
        var timer = LapTimer(configuration: LapConfiguration(label: "car"))
        _ = try timer.start()
        #expect(timer.observe([], atMilliseconds: 0).isEmpty && timer.counting == nil)
        var events = appear(&timer, at: 50, track: 1)
        #expect(timer.counting == .sight && states(events) == [.lapping])
        for round in 1..<4 { events += appear(&timer, at: 50 + Double(round) * 5_000, track: round + 1) }
        #expect(laps(events).map(\.lapMilliseconds) == [5_000, 5_000, 5_000])
        #expect(laps(events).map(\.startedMilliseconds) == [50, 5_050, 10_050])
    }

    @Test func `Without a line, what passes the middle is timed there, and a line that is given decides`() throws {
        var free = LapTimer(configuration: LapConfiguration(label: "car"))
        _ = try free.start()
        drive(&free, from: 0, track: 1)
        #expect(free.counting == .line)
        // A car that turns back before the middle makes no lap.
        #expect(laps(appear(&free, at: 5_000, track: 2)).isEmpty)
        #expect(laps(drive(&free, from: 12_000, track: 3)).map { $0.lapMilliseconds.rounded() } == [12_000])
        let line = LapConfiguration.Line(from: .init(x: 0.9, y: 0), to: .init(x: 0.9, y: 1))
        var given = LapTimer(configuration: LapConfiguration(label: "car", line: line))
        _ = try given.start()
        for round in 0..<3 { #expect(laps(appear(&given, at: Double(round) * 5_000, track: round)).isEmpty) }
        #expect(given.counting == .line && given.state == .start)
    }

    @Test func `What was in sight at the start decides nothing, and counts once it is chosen`() throws {
        var timer = LapTimer(configuration: LapConfiguration(label: "car"))
        _ = try timer.start()
        #expect(appear(&timer, at: 0, x: 0.7, track: 1).isEmpty && timer.counting == nil)
        // The second appearance is complete, so both count.
        let events = appear(&timer, at: 5_000, track: 2)
        #expect(timer.counting == .sight && laps(events).map(\.lapMilliseconds) == [5_000])
        _ = timer.warmUp()
        #expect(timer.counting == nil)
    }

    @Test func `The line moves while nothing is timed, and not under a running clock`() throws {
        var timer = LapTimer(configuration: LapConfiguration(label: "car"))
        let line = LapConfiguration.Line(from: .init(x: 0.2, y: 0), to: .init(x: 0.2, y: 1))
        try timer.move(line: line)
        #expect(timer.configuration.line == line)
        _ = try timer.start()
        #expect(throws: LapError.alreadyStarted) { try timer.move(line: nil) }
        #expect(timer.configuration.line == line)
        _ = timer.warmUp()
        try timer.move(line: nil)
        #expect(timer.configuration.line == nil)
    }

    @Test func `A clock that steps back loses the frame and nothing else`() throws {
        var timer = LapTimer(configuration: LapConfiguration(label: "car"))
        _ = try timer.start()
        drive(&timer, from: 0, track: 1)
        #expect(timer.observe([car(0.5, track: 2)], atMilliseconds: 100).isEmpty)
        #expect(timer.observe([car(0.5, track: 2)], atMilliseconds: .nan).isEmpty)
        #expect(laps(drive(&timer, from: 10_000, track: 2)).count == 1)
    }

    @Test func `By classification alone a lap closes when the object is seen again`() throws {
        var timer = LapTimer(configuration: LapConfiguration(threshold: 0.5))
        func frame(_ now: Double, _ confidence: Double) -> [LapEvent] {
            timer.observe(
                candidate: confidence > 0.3 ? LapCandidate(label: "sports_car", confidence: confidence) : nil,
                confidence: { $0 == "sports_car" ? confidence : 0 }, atMilliseconds: now)
        }
        _ = frame(0, 0.8)
        _ = try timer.start()
        #expect(states(frame(100, 0.8)) == [.lapping])
        // The confidence varies around the threshold while the object stays in sight. That is no lap.
        for (now, confidence) in [(200.0, 0.35), (300.0, 0.45), (400.0, 0.8), (500.0, 0.1), (4_900.0, 0.0)] {
            #expect(laps(frame(now, confidence)).isEmpty)
        }
        let lap = try #require(laps(frame(5_000, 0.8)).first)
        // The threshold of 0.4 was passed half way between the two frames.
        #expect(abs(lap.lapMilliseconds - 4_850) < 1)
        #expect(lap.track == nil)
        #expect(laps(frame(5_100, 0.1)).isEmpty)
        #expect(laps(frame(6_000, 0.8)).isEmpty)
    }
}
