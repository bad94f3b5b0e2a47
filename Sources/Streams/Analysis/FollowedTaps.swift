import Imaging
import Recognition

/// The taps of a stream. Each follows a track or marks a place, whose crops are classified. A pure value.
struct FollowedTaps {
    /// The sides of the squares around a tapped point that are classified, as shares of the picture's shorter side. The
    /// object may fill either.
    private static let places = [0.4, 0.9]

    private struct Followed {
        let tap: Tap
        var track: Int?
        /// The tap's position in the track's box, 0…1 on each axis.
        var offset = (x: 0.5, y: 0.5)
        /// The evidence about each square.
        var evidence = [RegionEvidence](repeating: RegionEvidence(), count: places.count)
        /// A drawn region has only one square: itself.
        var squares: Int { tap.isPoint ? places.count : 1 }
        /// Whether a track was searched for at the tap.
        var isPlaced = false
    }

    private let limit: Int
    private var taps: [Followed] = []

    /// - Parameter limit: the largest number of taps. A further one replaces the oldest.
    init(limit: Int) { self.limit = limit }

    /// The tracks that taps follow.
    var tracks: Set<Int> { Set(taps.compactMap(\.track)) }

    /// Adds a tap, or replaces the one with the same id.
    mutating func follow(_ tap: Tap) {
        taps.removeAll { $0.tap.id == tap.id }
        if taps.count >= limit { taps.removeFirst() }
        taps.append(Followed(tap: tap))
    }

    /// - Returns: whether the tap existed.
    mutating func forget(_ id: String) -> Bool {
        defer { taps.removeAll { $0.tap.id == id } }
        return taps.contains { $0.tap.id == id }
    }

    /// Forgets the classified crops. A change of the model makes them useless.
    mutating func forgetLooks() {
        for index in taps.indices { taps[index].evidence = taps[index].evidence.map { _ in RegionEvidence() } }
    }

    /// Turns every followed track back into a place, until a new track is found there.
    mutating func leaveTracks() {
        for index in taps.indices { (taps[index].track, taps[index].isPlaced) = (nil, false) }
    }

    /// Forgets the taps whose tracks have ended.
    mutating func keep(tracks known: Set<Int>) {
        taps.removeAll { tap in tap.track.map { !known.contains($0) } ?? false }
    }

    /// Finds the tracks of new taps.
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

    struct Place: Sendable {
        let id: String
        let square: Int
        let region: PictureRegion
        let votes: OutputVotes
    }

    /// The squares that should be classified now.
    func due(in image: ImageInfo, consensus: Int, atMilliseconds milliseconds: Double) -> [Place] {
        taps.filter { $0.track == nil }.flatMap { followed in
            (0..<followed.squares).filter {
                followed.evidence[$0].isDue(area: 1, consensus: consensus, atMilliseconds: milliseconds)
            }.map { square in
                Place(
                    id: followed.tap.id, square: square, region: Self.region(of: followed.tap, square, in: image),
                    votes: followed.evidence[square].votes)
            }
        }
    }

    /// Adds the result for a square, unless its tap was replaced meanwhile.
    mutating func take(
        _ result: FramePartResult, of place: Place, side: Float, by names: RegionNames?, atMilliseconds now: Double
    ) {
        guard let index = taps.firstIndex(where: { $0.tap.id == place.id && $0.track == nil }) else { return }
        if taps[index].evidence[place.square].take(result, side: side, area: 1, by: names, atMilliseconds: now) {
            taps[index].evidence[place.square] = taps[index].evidence[place.square].renewed()
        }
        taps[index].evidence[place.square].decide(by: names)
    }

    private static func region(of tap: Tap, _ square: Int, in image: ImageInfo) -> PictureRegion {
        let region =
            tap.isPoint
            ? PictureRegion(squareAroundX: tap.x, y: tap.y, share: places[square], in: image)
            : PictureRegion(left: tap.x, top: tap.y, right: tap.x + tap.width, bottom: tap.y + tap.height)
        return region.square(margin: 0, inWidth: image.width, height: image.height)
    }

    /// The current label of each tap.
    ///
    /// - Parameters:
    ///   - objects: all tracked objects, including those out of sight.
    ///   - numbers: the numbers under which tracks are shown.
    ///   - ofTrack: returns the evidence about a track.
    func labels(
        among objects: [TrackedObject], _ numbers: ShownNumbers, ofTrack: (TrackedObject) -> RegionEvidence?
    ) -> [TapLabel] {
        taps.compactMap { followed in
            let tap = followed.tap
            guard let number = followed.track else {
                let looked = followed.evidence.prefix(followed.squares).filter { $0.looks > 0 }
                // The square with the surest name is the one that the user meant.
                let best = looked.filter(\.isShown).max {
                    ($0.name?.confidence ?? 0) < ($1.name?.confidence ?? 0)
                }
                return TapLabel(
                    id: tap.id, x: tap.x + tap.width / 2, y: tap.y + tap.height / 2, name: best?.name,
                    isNothing: best == nil && !looked.isEmpty, track: nil, isInSight: true)
            }
            guard let object = objects.first(where: { $0.track == number }) else { return nil }
            let evidence = ofTrack(object)
            return TapLabel(
                id: tap.id, x: object.box.x + followed.offset.x * object.box.width,
                y: object.box.y + followed.offset.y * object.box.height,
                name: evidence.flatMap { $0.isShown ? $0.name : nil },
                isNothing: evidence.map { $0.looks > 0 && !$0.isShown } ?? false, track: numbers.number(of: number),
                isInSight: object.isInSight)
        }
    }
}
