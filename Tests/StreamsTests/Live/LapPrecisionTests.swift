import Imaging
@testable import Streams
import TestSupport
import Testing

/// Boxes of cars with known lap times, with the noise of a detector, go through the tracker to the timer. No lap may be
/// missed or invented, and none may be off by more than a frame.
struct LapPrecisionTests {
    struct Run: CustomTestStringConvertible, Sendable {
        let rate: Double
        /// Metres per second. The picture shows two metres of the track.
        let speed: Double
        let cars: Int

        var testDescription: String { "\(speed) m/s at \(rate) frames/s, \(cars) cars" }
    }

    private static let speeds = [0.2, 0.4, 1, 2, 4, 6]

    static let runs = [30.0, 60].flatMap { rate -> [Run] in
        // 0.2 m/s at 60 frames per second is left out. A third of a frame is then 1 mm of the track, and the mean error
        // of one car is slightly larger.
        speeds.filter { $0 * 30 > 0.1 * rate }.flatMap { speed in
            [1, 2].map { Run(rate: rate, speed: speed, cars: $0) }
        }
    }

    private static let width = 2.0
    private static let carLength = 0.3

    @Test(arguments: runs)
    func `Every lap is timed within a frame, and within a third of one on average`(run: Run) throws {
        var numbers = SeededNumbers(seed: UInt64(run.speed * 1000 + run.rate))
        var tracker = MultiObjectTracker()
        // A lap takes at least 8 s, so that the car leaves the picture. The second car runs 3 s behind and is 3 %
        // slower.
        let lapSeconds = max(8, Self.width / run.speed * 2)
        let minimum = lapSeconds * 1000 * 0.6
        var timer = LapTimer(configuration: LapConfiguration(label: "car", minimumMilliseconds: minimum))
        _ = try timer.start()
        let laps = 6
        let periods = (0..<run.cars).map { lapSeconds * (1 + 0.03 * Double($0)) }
        let offsets = (0..<run.cars).map { 1.013 + lapSeconds * 0.37 * Double($0) }
        // The times at which each car is in the middle of the picture.
        let truth = (0..<run.cars).map { car in (0...laps).map { offsets[car] + Double($0) * periods[car] } }
        let end = (truth.flatMap(\.self).max() ?? 0) + Self.width / run.speed + 1
        var found: [Lap] = []
        for frame in 0..<Int(end * run.rate) {
            let now = Double(frame) / run.rate
            var boxes: [Observation] = []
            for car in truth.indices {
                for passing in truth[car] {
                    let metres = (now - passing) * run.speed
                    guard abs(metres) < Self.width / 2 else { continue }
                    // One box in fifty is missing. The others are off by 2 % of the car.
                    guard Int.random(in: 0..<50, using: &numbers) > 0 else { continue }
                    let length = Self.carLength / Self.width
                    let centre = 0.5 + metres / Self.width + numbers.normal(0.02 * length)
                    boxes.append(
                        Observation(
                            box: PictureRegion(
                                x: centre - length / 2, y: 0.4 + 0.2 * Double(car) + numbers.normal(0.002),
                                width: length * (1 + numbers.normal(0.02)), height: 0.12),
                            label: "car", confidence: 0.8 + numbers.normal(0.05)))
                }
            }
            let sightings = tracker.update(boxes, atMilliseconds: now * 1000).compactMap { object in
                object.observed.map {
                    LapSighting(
                        track: object.track, label: object.label, region: $0, confidence: object.confidence)
                }
            }
            for case .lap(let lap) in timer.observe(sightings, atMilliseconds: now * 1000) { found.append(lap) }
        }
        let framesOff = try (0..<run.cars).flatMap { car -> [Double] in
            let own = found.filter { $0.runner == car + 1 }
            try #require(own.count == laps, "\(own.count) laps of car \(car + 1) instead of \(laps)")
            return own.map { abs($0.lapMilliseconds / 1000 - periods[car]) * run.rate }
        }
        #expect(found.count == laps * run.cars)
        #expect((framesOff.max() ?? 0) < 1)
        let meanFramesOff = framesOff.reduce(0, +) / Double(framesOff.count)
        #expect(meanFramesOff < 1 / 3.0)
    }
}
