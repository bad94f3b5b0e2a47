import Imaging
import Testing
@testable import Streams

/// An object that the user pointed at, in small drawn pictures. The test supplies the feature vectors.
struct PointedThingTests {
    private typealias Colour = (red: UInt8, green: UInt8, blue: UInt8)

    private static let red: Colour = (210, 30, 30)
    private static let blue: Colour = (30, 60, 210)
    private static let ground = {
        var bytes = [UInt8](repeating: 0, count: 160 * 120 * 3)
        for index in 0..<160 * 120 {
            let level = UInt8(90 + (index * 7919) % 23 + (index / 160) / 4)
            (bytes[index * 3], bytes[index * 3 + 1], bytes[index * 3 + 2]) = (level, level, level - 10)
        }
        return bytes
    }()

    /// Squares of 20 pixels at the given columns, on a textured ground of 160 × 120 pixels.
    private func picture(_ squares: [(column: Int, colour: Colour)], light: Double = 1) -> PixelBuffer {
        var bytes = Self.ground
        for (left, colour) in squares {
            for row in 50..<70 {
                for column in (left..<left + 20).clamped(to: 0..<160) {
                    let dark = (row + column - left) % 7 < 2 ? 0.7 : 1.0
                    for (channel, value) in [colour.red, colour.green, colour.blue].enumerated() {
                        bytes[(row * 160 + column) * 3 + channel] = UInt8(Double(value) * dark)
                    }
                }
            }
        }
        return PixelBuffer(width: 160, height: 120, bytes: light == 1 ? bytes : bytes.map { UInt8(Double($0) * light) })
    }

    private func look(_ boxes: [PictureRegion] = []) throws -> ThingAppearance {
        var look = try #require(
            ThingAppearance(at: Tap(id: "", x: 0.5, y: 0.5), in: picture([(70, Self.red)]), boxes: boxes))
        look.learn([1, 0, 0.1])
        return look
    }

    @Test func `Without a box its edges are those of its colour, and of a plain wall there are none`() throws {
        let look = try look()
        #expect(abs(look.box.x - 69.0 / 160) < 0.01 && abs(look.box.width - 22.0 / 160) < 0.02, "\(look.box)")
        #expect(look.label == "this_one" && look.called("toy").label == "toy")
        let box = PictureRegion(x: 0.4, y: 0.4, width: 0.2, height: 0.2)
        #expect(try self.look([box, PictureRegion(x: 0, y: 0, width: 1, height: 1)]).box == box)
        let wall = PixelBuffer(width: 160, height: 120, bytes: [UInt8](repeating: 128, count: 160 * 120 * 3))
        #expect(ThingAppearance(at: Tap(id: "", x: 0.5, y: 0.5), in: wall, boxes: []) == nil)
        #expect(
            ThingAppearance(
                at: Tap(id: "", x: 0.5, y: 0.5), in: PixelBuffer(width: 1, height: 1, bytes: [9, 9, 9]), boxes: [])
                == nil)
    }

    /// Sends squares through the picture one after the other.
    ///
    /// - Returns: the object's place in each frame.
    private func pass(
        _ thing: inout PointedThing, _ colour: Colour, from start: Double, features: [Float]?, light: Double = 1
    ) -> [(truth: Double, place: PointedThing.Place?)] {
        (0..<40).map { frame in
            let left = frame * 6 - 30
            let now = start + Double(frame) * 40
            let seen = picture(frame < 36 ? [(left, colour)] : [], light: light)
            if let question = thing.update(seen, [], atMilliseconds: now) {
                thing.take(features, to: question, in: seen, atMilliseconds: now)
            }
            return ((Double(left) + 10) / 160, thing.place)
        }
    }

    @Test func `It is followed to less than a pixel, counted each time, in the shade as well`() throws {
        var thing = PointedThing(try look())
        for (round, light) in [(1, 1.0), (2, 0.6), (3, 1.0)] {
            let places = pass(&thing, Self.red, from: Double(round) * 3_000, features: [0.9, 0.1, 0.1], light: light)
            let seen = places.filter { $0.place != nil }
            #expect(seen.count >= 15, "\(round): \(seen.count)")
            for (truth, place) in seen {
                #expect(place?.number == round && abs((place?.box.centreX ?? 0) - truth) < 1.0 / 160, "\(truth)")
            }
        }
    }

    @Test func `Another appearance, or other features, are not the object`() throws {
        var thing = PointedThing(try look())
        let other = pass(&thing, Self.blue, from: 0, features: [0.1, 0.9, 0.1])
        #expect(other.allSatisfy { $0.place == nil })
        let twin = pass(&thing, Self.red, from: 3_000, features: [0.1, 0.9, 0.1])
        #expect(twin.allSatisfy { $0.place == nil })
        // Without feature vectors the colours alone decide.
        let bare = pass(&thing, Self.red, from: 6_000, features: nil)
        #expect(bare.contains { $0.place != nil })
    }

    @Test func `A track that the network finds alike is it, whatever its colours`() throws {
        var thing = PointedThing(try look())
        let seen = picture([(70, Self.blue)])
        let box = PictureRegion(x: 70.0 / 160, y: 50.0 / 120, width: 20.0 / 160, height: 20.0 / 120)
        func see(_ features: [Float], at now: Double) {
            let question = thing.update(seen, [.init(track: 4, box: box, features: features)], atMilliseconds: now)
            if let question { thing.take(features, to: question, in: seen, atMilliseconds: now) }
        }
        see([0, 1, 0], at: 0)
        #expect(thing.place == nil)
        see([0.95, 0.05, 0.1], at: 1_000)
        #expect(thing.place?.box == box)
        see([0.95, 0.05, 0.1], at: 1_040)
        #expect(thing.place?.number == 1)
    }

    @Test func `Pictures of any shape, times that stand, and a thing beyond the edge end nothing`() throws {
        var thing = PointedThing(try look())
        thing.begin(atMilliseconds: 0)
        for (index, size) in [(160, 120), (4, 160), (160, 4), (1, 1), (160, 120)].enumerated() {
            let picture = PixelBuffer(
                width: size.0, height: size.1, bytes: [UInt8](repeating: UInt8(index * 40), count: size.0 * size.1 * 3))
            for now in [0, 10, 10, 1e9, -5] where thing.update(picture, [], atMilliseconds: now) != nil {
                Issue.record("a grey picture shows it")
            }
        }
        #expect(thing.place == nil)
    }
}
