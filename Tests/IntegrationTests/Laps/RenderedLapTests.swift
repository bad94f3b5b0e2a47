import Foundation
import HTTP
import Imaging
import TestSupport
import Testing

/// Rendered vehicles with known lap times pass through the whole service: JPEGs over a socket, detection, tracking and
/// timing. No lap may be missed or invented. None may be off by more than a frame, and the mean error is at most a
/// third of one.
///
/// `MENAGERIE_LAPS=m/s` runs every speed, frame rate and scene, and prints a table. That takes half an hour without
/// optimisation. Another value runs the cases whose description contains it, such as `plain` or `0.2 m/s`.
@Suite("Rendered laps", .enabled(if: SharedFolder.isThere), .timeLimit(.minutes(60))) struct RenderedLapTests {
    private typealias Object = [String: any Sendable]

    struct Course: CustomTestStringConvertible, Sendable {
        enum Scene: String, Sendable {
            case plain, shade, twoOfAKind, twoKinds
            /// At its second passing the vehicle stops just before the line.
            case stops
            /// The vehicle stops with its middle on the line. The time of that passing is open, but it must count once.
            case standsOnTheLine
        }

        /// Frames per second.
        let rate: Double
        /// Metres per second. The picture shows two metres of the track.
        let speed: Double
        let scene: Scene

        var testDescription: String { "\(speed) m/s at \(Int(rate)) frames/s, \(scene)" }
    }

    static let few = [
        Course(rate: 30, speed: 2, scene: .twoOfAKind), Course(rate: 60, speed: 6, scene: .shade),
        Course(rate: 30, speed: 1, scene: .stops), Course(rate: 60, speed: 4, scene: .twoKinds),
        Course(rate: 30, speed: 0.5, scene: .standsOnTheLine), Course(rate: 30, speed: 0.2, scene: .plain),
    ]
    static let all = [0.2, 0.5, 1, 2, 4, 6].flatMap { speed in
        [Course(rate: 60, speed: speed, scene: .plain)]
            + [Course.Scene.plain, .shade, .twoOfAKind, .twoKinds, .stops, .standsOnTheLine].map {
                Course(rate: 30, speed: speed, scene: $0)
            }
    }
    private static let wanted = ProcessInfo.processInfo.environment["MENAGERIE_LAPS"]
    static let courses = wanted.map { wanted in all.filter { $0.testDescription.contains(wanted) } } ?? few

    private static let metres = 2.0
    /// The time for which the shutter is open, in seconds.
    private static let exposure = 0.25 / 30

    private struct Vehicle {
        let sprite: RenderedTrack.Sprite
        let isTimed: Bool
        /// The seconds at which the vehicle's middle is over the line. The first one starts the clock.
        let passings: [Double]
        /// How long the vehicle stops at its second passing, and how many metres before the line.
        let stop: Double
        let wait: Double
        let bottom: Int

        /// The position of the vehicle's middle, in metres from the line. Nil while it is far away.
        func place(_ now: Double, speed: Double) -> Double? {
            for (index, passing) in passings.enumerated() {
                let stop = index == 1 ? stop : 0
                let arrival = passing - wait / speed - stop
                let metres =
                    now < arrival
                    ? (now - arrival) * speed - wait : now < arrival + stop ? -wait : (now - passing) * speed
                if abs(metres) < RenderedLapTests.metres * 0.65 { return metres }
            }
            return nil
        }
    }

    @Test(arguments: courses) func everyLapIsTimedWithinAFrame(course: Course) async throws {
        try await withService { service in
            let port = service.port
            let vehicles = try await Self.vehicles(course)
            let timed = vehicles.filter(\.isTimed)
            let shortest = timed.flatMap { zip($0.passings, $0.passings.dropFirst()).map { $1 - $0 } }.min() ?? 0
            let made = try await service.request(
                "POST", "/laps",
                body: Array(
                    #"{"label":"car","minimum_lap_s":\#(shortest * 0.6),"line":[[0.5,0],[0.5,1]]}"#.utf8)
            ).object()
            let id = try #require(made["id"] as? String)
            _ = try await service.request("PUT", "/laps/\(id)/state", body: Array(#"{"state":"start"}"#.utf8))
            try await onThread { try Self.drive(vehicles, course, port: port, id: id) }
            let laps = try await service.request("GET", "/laps/\(id)").object()["laps"] as? [Object] ?? []
            let found = try laps.map { lap in
                (
                    try #require(lap["started_ms"] as? Double) / 1000, try #require(lap["lap_ms"] as? Double) / 1000,
                    try #require(lap["runner"] as? Int)
                )
            }
            var framesOff: [Double] = []
            for vehicle in timed {
                let own = found.filter { start, _, _ in
                    vehicle.passings.contains { abs($0 - start) < shortest / 8 }
                }
                let expected = vehicle.passings.count - 1
                #expect(own.count == expected && Set(own.map(\.2)).count == 1, "\(course): \(found)")
                framesOff += zip(own, zip(vehicle.passings, vehicle.passings.dropFirst())).map { lap, truth in
                    abs(lap.1 - (truth.1 - truth.0)) * course.rate
                }
            }
            #expect(found.count == timed.reduce(0) { $0 + $1.passings.count - 1 }, "\(course): \(found)")
            let (worst, mean) = (
                framesOff.max() ?? 0, framesOff.reduce(0, +) / Double(max(framesOff.count, 1))
            )
            if Self.wanted != nil {
                print(
                    "| \(course.speed) | \(Int(course.rate)) | \(course.scene) | \(found.count) |",
                    String(format: "%.3f | %.3f |", mean, worst))
            }
            let isVague = course.scene == .standsOnTheLine
            #expect(isVague || worst < 1 && mean < 1 / 3.0, "\(course): \(framesOff)")
            #expect(worst < (timed.map(\.stop).max() ?? 0) * course.rate + 1)
            #expect(try await service.request("DELETE", "/laps/\(id)").status == 204)
        }
    }

    private static func vehicles(_ course: Course) async throws -> [Vehicle] {
        let (cars, buses) = try await sprites.value
        let other = course.scene == .twoKinds ? buses[0] : cars[1]
        let blur = course.speed * exposure / metres * Double(RenderedTrack.width)
        // The lap is long enough for the vehicle to leave the picture.
        let lap = max(4, metres / course.speed * 2)
        func vehicle(_ sprite: RenderedTrack.Sprite, _ index: Int, isTimed: Bool = true) -> Vehicle {
            let (stop, wait) =
                switch course.scene {
                case .stops: (1.5, 0.1)
                case .standsOnTheLine: (1.5, 0.0)
                default: (0.0, 0.0)
                }
            // Each passing falls on a different moment between two frames.
            let passings = (0...3).map {
                metres / course.speed + 1.0137 + Double($0) * (lap * (1 + 0.031 * Double(index)) + 0.0119)
            }
            return Vehicle(
                sprite: sprite.blurred(by: blur), isTimed: isTimed,
                passings: passings.map { $0 + Double(index) * lap * 0.43 },
                stop: stop, wait: wait, bottom: 250 + 130 * index)
        }
        switch course.scene {
        case .plain, .shade, .stops, .standsOnTheLine: return [vehicle(cars[0], 0)]
        case .twoOfAKind: return [vehicle(cars[0], 0), vehicle(other, 1)]
        case .twoKinds: return [vehicle(cars[0], 0), vehicle(other, 1, isTimed: false)]
        }
    }

    private static let sprites = Task {
        let service = try await LiveService.shared.value
        return (
            cars: try await sprites("car", service, folders: ["sports_car", "car_side", "car"], count: 2),
            buses: try await sprites("bus", service, folders: ["school_bus", "bus"], count: 1)
        )
    }

    /// The surest detections in the photos of some folders.
    private static func sprites(
        _ label: String, _ service: LiveService, folders: [String], count: Int
    ) async throws -> [RenderedTrack.Sprite] {
        var found: [(confidence: Double, photo: [UInt8], region: PictureRegion)] = []
        for url in try folders.flatMap({ try SharedFolder.photos("object", $0) }) {
            let photo = [UInt8](try Data(contentsOf: url))
            let answer = try await service.request(
                "POST", "/detect", headers: [("Content-Type", "image/jpeg")], body: photo)
            for box in try answer.object()["boxes"] as? [Object] ?? [] where box["label"] as? String == label {
                guard let x = box["x"] as? Double, let y = box["y"] as? Double, let width = box["width"] as? Double,
                    let height = box["height"] as? Double, let confidence = box["confidence"] as? Double, width > 0.4
                else { continue }
                found.append((confidence, photo, PictureRegion(x: x, y: y, width: width, height: height)))
            }
        }
        found.sort { $0.confidence > $1.confidence }
        try #require(found.count >= count)
        return try found.prefix(count).map { try RenderedTrack.Sprite($0.photo, region: $0.region, width: 110) }
    }

    /// Sends every frame with a vehicle, and two per second otherwise.
    private static func drive(_ vehicles: [Vehicle], _ course: Course, port: Int, id: String) throws {
        var track = RenderedTrack(isShaded: course.scene == .shade)
        let camera = try CameraClient(port: port, query: "laps=\(id)")
        let end = (vehicles.flatMap(\.passings).max() ?? 0) + metres / course.speed + 1
        var quiet = 0
        for frame in 0..<Int(end * course.rate) {
            let now = Double(frame) / course.rate
            let placed = vehicles.compactMap { vehicle in
                vehicle.place(now, speed: course.speed).map { place in
                    (
                        sprite: vehicle.sprite, middle: (0.5 + place / metres) * Double(RenderedTrack.width),
                        bottom: vehicle.bottom
                    )
                }
            }
            quiet = placed.isEmpty ? quiet + 1 : 0
            guard quiet == 0 || quiet % Int(course.rate / 2) == 1 else { continue }
            try camera.send(#"{"type":"frame","at_ms":\#(now * 1000)}"#)
            _ = try camera.look(at: try track.frame(placed))
        }
        try camera.send(.close, [])
        while try camera.receive() != nil {}
    }
}
