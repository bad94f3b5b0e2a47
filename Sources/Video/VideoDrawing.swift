import Base
import Foundation
package import Imaging

/// Rectangles with names to draw into the pictures of a video. Each moves from place to place.
package struct VideoDrawing: Sendable, Codable, Equatable {
    /// The path of one rectangle through time.
    package struct Path: Sendable, Codable, Equatable {
        package var text: String
        package var colour: Int
        /// The places, sorted by time.
        package var places: [VideoFindings.Box]
    }

    /// The time that a rectangle stays after its last place, and the longest gap to interpolate, in milliseconds.
    package var hold: Int
    package var paths: [Path]
}

extension VideoDrawing {
    /// Reads a drawing from an open file. A failure is the service's fault, not the video's.
    init(descriptor: CInt) throws(VideoError) {
        let text = Data(WorkerDescriptor.read(descriptor))
        guard let drawing = try? JSONDecoder().decode(VideoDrawing.self, from: text) else {
            throw .system("what is to be drawn cannot be read")
        }
        self = drawing
    }

    /// The rectangles at a time, interpolated between two places.
    package func annotations(at time: Int) -> [Annotation] {
        paths.compactMap { path in
            region(of: path.places, at: time).map { Annotation(region: $0, text: path.text, colour: path.colour) }
        }
    }

    private func region(of places: [VideoFindings.Box], at time: Int) -> PictureRegion? {
        let next = places.leadingCount { $0.milliseconds <= time }
        guard next > 0 else { return nil }
        let before = places[next - 1]
        guard next < places.count, places[next].milliseconds - before.milliseconds <= 3 * hold else {
            return time - before.milliseconds <= hold ? before.region : nil
        }
        return before.region(onWayTo: places[next], at: time)
    }
}

extension VideoFindings.Box {
    var region: PictureRegion { PictureRegion(x: x, y: y, width: width, height: height) }

    /// The region at a time between this box and a later one, on a straight line.
    func region(onWayTo later: Self, at time: Int) -> PictureRegion {
        let share = Double(time - milliseconds) / Double(max(1, later.milliseconds - milliseconds))
        func between(_ value: KeyPath<Self, Double>) -> Double {
            self[keyPath: value] + (later[keyPath: value] - self[keyPath: value]) * share
        }
        return PictureRegion(x: between(\.x), y: between(\.y), width: between(\.width), height: between(\.height))
    }
}
