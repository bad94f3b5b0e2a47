import Imaging
import Recognition
import Tracking

/// The taps of a stream, each with the track that it stays with, or with the closer looks at its place. A pure value.
struct FollowedTaps {
    /// Side of the square that a tapped place stands for, as a share of the picture's shorter side.
    private static let place = 0.4

    private struct Followed {
        let tap: Tap
        var track: Int?
        /// Where in the track's box it lies, 0…1 each way.
        var offset = (x: 0.5, y: 0.5)
        var looks = CloserLooks()
        /// Whether it was looked for among the tracks.
        var isPlaced = false
    }

    private let limit: Int
    private var taps: [Followed] = []

    /// - Parameter limit: how many are followed at a time; the oldest makes room for another.
    init(limit: Int) {
        self.limit = limit
    }

    /// The tracks that taps stay with.
    var tracks: Set<Int> { Set(taps.compactMap(\.track)) }

    /// One of the same name is replaced.
    mutating func follow(_ tap: Tap) {
        taps.removeAll { $0.tap.id == tap.id }
        if taps.count >= limit { taps.removeFirst() }
        taps.append(Followed(tap: tap))
    }

    /// - Returns: whether there was one of that name.
    mutating func forget(_ id: String) -> Bool {
        defer { taps.removeAll { $0.tap.id == id } }
        return taps.contains { $0.tap.id == id }
    }

    /// Forgets what closer looks have shown: another model looks from now on.
    mutating func forgetLooks() {
        for index in taps.indices { taps[index].looks = CloserLooks() }
    }

    /// What was tracked is a place again until it is found among the new tracks.
    mutating func leaveTracks() {
        for index in taps.indices { (taps[index].track, taps[index].isPlaced) = (nil, false) }
    }

    /// Forgets the taps of tracks that are gone.
    mutating func keep(tracks known: Set<Int>) {
        taps.removeAll { tap in tap.track.map { !known.contains($0) } ?? false }
    }

    /// Finds the tracks of the taps that are new.
    mutating func place(among objects: [TrackedObject]) {
        for index in taps.indices where !taps[index].isPlaced {
            taps[index].isPlaced = true
            let tap = taps[index].tap
            guard let object = tap.track(among: objects) else { continue }
            taps[index].track = object.track
            guard tap.isPoint else { continue }
            taps[index].offset = (
                x: (tap.x - object.box.x) / object.box.width, y: (tap.y - object.box.y) / object.box.height
            )
        }
    }

    /// The places that are to be looked at closer now: the names of their taps, and how often they were.
    func due(consensus: Int, atMilliseconds milliseconds: Double) -> [(id: String, count: Int)] {
        taps.filter {
            $0.track == nil && $0.looks.isDue(area: 1, consensus: consensus, atMilliseconds: milliseconds)
        }.map { ($0.tap.id, $0.looks.count) }
    }

    /// What was said of a place so far.
    func votes(for id: String) -> OutputVotes { taps.first { $0.tap.id == id }?.looks.votes ?? OutputVotes() }

    /// Takes what a closer look at a place has shown. The tap may have been replaced meanwhile.
    mutating func take(_ look: FramePartLook, of id: String, atMilliseconds milliseconds: Double) {
        guard let index = taps.firstIndex(where: { $0.tap.id == id && $0.track == nil }) else { return }
        taps[index].looks.take(look, head: nil, area: 1, atMilliseconds: milliseconds)
    }

    /// The part of a picture that a place stands for.
    func region(of id: String, in image: ImageInfo) -> PictureRegion {
        guard let tap = taps.first(where: { $0.tap.id == id })?.tap else { return .whole }
        guard tap.isPoint else {
            return PictureRegion(left: tap.x, top: tap.y, right: tap.x + tap.width, bottom: tap.y + tap.height)
                .square(margin: 0, inWidth: image.width, height: image.height)
        }
        let side = Self.place * Double(min(image.width, image.height))
        let (across, down) = (side / Double(image.width), side / Double(image.height))
        return PictureRegion(x: tap.x - across / 2, y: tap.y - down / 2, width: across, height: down)
            .square(margin: 0, inWidth: image.width, height: image.height)
    }

    /// What lies under each tap now.
    ///
    /// - Parameters:
    ///   - objects: everything that is tracked, in sight or not.
    ///   - ofTrack: the name of what a tap stays with.
    ///   - ofPlace: the name of what closer looks at a place have shown.
    func labels(
        among objects: [TrackedObject], ofTrack: (TrackedObject) -> TrackName,
        ofPlace: (Classification) -> TrackName?
    ) -> [TapLabel] {
        taps.compactMap { followed in
            let tap = followed.tap
            guard let number = followed.track else {
                return TapLabel(
                    id: tap.id, x: tap.x + tap.width / 2, y: tap.y + tap.height / 2,
                    name: followed.looks.classification.flatMap(ofPlace), track: nil, isInSight: true)
            }
            guard let object = objects.first(where: { $0.track == number }) else { return nil }
            return TapLabel(
                id: tap.id, x: object.box.x + followed.offset.x * object.box.width,
                y: object.box.y + followed.offset.y * object.box.height, name: ofTrack(object), track: number,
                isInSight: object.isInSight)
        }
    }
}
