import Base
package import Imaging

/// Finds the object that the user pointed at in the frames of one stream. A candidate is a place with its colours or a
/// track that resembles it. The classifier's feature vectors confirm or reject a candidate. Pass every frame in order.
/// A pure value.
package struct PointedThing: Sendable {
    /// The least colour correlation of a candidate, and of the object while it is followed.
    private static let found = 0.58
    private static let followed = 0.45
    /// While the object is followed, its correlation may fall to this share of the best one.
    private static let steadiness = 0.7
    /// The least similarity of feature vectors: for a place with clear colours, for one with doubtful colours, for a
    /// track, and for the followed object. Without a network the last number is a colour correlation.
    static let alike = (clear: 0.5, doubtful: 0.62, track: 0.7, still: 0.45)
    /// The colour correlation from which on the colours are clear.
    private static let clear = 0.75
    private static let withoutNetwork = 0.75
    /// The least share of changed pixels in a place that is in motion.
    private static let change = 0.15
    /// Milliseconds: how long the object may be hidden before it counts as gone; the pause between two checks while it
    /// moves, and while it stands still; and the pause before a rejected place is checked again.
    private static let gap = 500.0
    private static let looks = (moving: 1_500.0, still: 500.0)
    private static let patience = 90.0
    /// The sizes of the search pattern, relative to the object's.
    private static let scales = (anywhere: [1, 0.75, 1.33], followed: [1, 0.93, 1.07])

    /// The object's place in a frame.
    package struct Place: Sendable {
        /// The number of times that the object has come into sight.
        package let number: Int
        package let box: PictureRegion
        /// The similarity to the object, 0…1.
        package let similarity: Double
    }

    /// A track in sight with its feature vector.
    struct Sight {
        let track: Int
        let box: PictureRegion
        let features: [Float]?
    }

    /// A place whose feature vector is needed.
    struct Question {
        let box: PictureRegion
        let score: Double
        let scale: Double
        /// The track that led to this place, if any.
        var track: Int?
        var isFollowed = false
    }

    private struct Follow {
        let number: Int
        var box: PictureRegion
        /// The velocity of the centre per millisecond.
        var way = (x: 0.0, y: 0.0)
        var milliseconds: Double
        var scale: Double
        var best: Double
        var similarity: Double
        var lookedMilliseconds: Double
        /// The track of the same object, and the position of the object's centre in the track's box.
        var track: Int?
        var offset = (x: 0.0, y: 0.0)

        /// The expected place, from its motion.
        func box(atMilliseconds now: Double) -> PictureRegion {
            let time = now - milliseconds
            return PictureRegion(x: box.x + way.x * time, y: box.y + way.y * time, width: box.width, height: box.height)
        }
    }

    package private(set) var appearance: ThingAppearance
    /// The place in the last frame. Nil while the object is out of sight.
    package private(set) var place: Place?
    private var scene = SceneChange()
    private var follow: Follow?
    private var lastNumber = 0
    private var refused: [(box: PictureRegion, milliseconds: Double)] = []

    package init(_ appearance: ThingAppearance) { self.appearance = appearance }

    // MARK: Frames

    /// Searches a frame for the object.
    ///
    /// - Returns: the place to classify. Its features go to ``take(_:to:in:atMilliseconds:)``.
    mutating func update(_ picture: PixelBuffer, _ sights: [Sight], atMilliseconds now: Double) -> Question? {
        scene.take(picture, atMilliseconds: now)
        place = nil
        if let last = follow, now - last.milliseconds > Self.gap { follow = nil }
        if followOn(in: picture, sights, now), let follow {
            guard !isCut(follow.box) else { return nil }
            place = Place(number: follow.number, box: follow.box, similarity: follow.similarity)
            let pixels = PixelPlace(follow.box, in: picture)
            let isStill =
                scene.share(left: pixels.left, top: pixels.top, width: pixels.width, height: pixels.height)
                < Self.change
            let pause = isStill ? Self.looks.still : Self.looks.moving
            guard now - follow.lookedMilliseconds >= pause else { return nil }
            return Question(
                box: follow.box, score: follow.best, scale: follow.scale, track: follow.track, isFollowed: true)
        }
        refused.removeAll { now - $0.milliseconds > Self.patience }
        return candidate(in: picture, sights)
    }

    /// Whether the object is cut off by an edge of the picture. An edge that it already touched in the original frame
    /// does not count.
    private func isCut(_ box: PictureRegion) -> Bool {
        func touches(_ box: PictureRegion) -> [Bool] {
            let edge = 0.75 / Double(ThingAppearance.side)
            return [box.x < edge, box.y < edge, box.right > 1 - edge, box.bottom > 1 - edge]
        }
        return zip(touches(box), touches(appearance.box)).contains { $0 && !$1 }
    }

    /// Takes the features of the questioned place in the same frame.
    mutating func take(
        _ features: [Float]?, to question: Question, in picture: PixelBuffer, atMilliseconds now: Double
    ) {
        let similarity = appearance.similarity(to: features)
        guard question.isFollowed else {
            let limit = question.score >= Self.clear ? Self.alike.clear : Self.alike.doubtful
            let isIt = similarity.map { $0 >= limit } ?? (question.score >= Self.withoutNetwork)
            guard isIt else { return refused.append((question.box, now)) }
            // The object looks different now, so this appearance is learnt too.
            if question.track != nil { appearance.learn(question.box, in: picture) }
            begin(question, similarity ?? question.score, now)
            return
        }
        follow?.lookedMilliseconds = now
        guard let similarity else { return }
        if similarity < Self.alike.still {
            (follow, place) = (nil, nil)
            refused.append((question.box, now))
        } else {
            follow?.similarity = similarity
        }
    }

    /// Begins with the object in sight, in the place that the user pointed at.
    package mutating func begin(atMilliseconds now: Double) {
        begin(Question(box: appearance.box, score: 1, scale: 1), 1, now)
    }

    private mutating func begin(_ question: Question, _ similarity: Double, _ now: Double) {
        // An object that was hidden for a moment continues the same passing.
        let isSame = follow.map { $0.box(atMilliseconds: now).distance(to: question.box) < 1 } ?? false
        if !isSame { lastNumber += 1 }
        follow = Follow(
            number: lastNumber, box: question.box, milliseconds: now, scale: question.scale, best: question.score,
            similarity: similarity, lookedMilliseconds: now, track: question.track)
        place = Place(number: lastNumber, box: question.box, similarity: similarity)
    }

    // MARK: Where it goes

    /// Follows the object to this frame.
    ///
    /// - Returns: whether it is in sight.
    private mutating func followOn(in picture: PixelBuffer, _ sights: [Sight], _ now: Double) -> Bool {
        guard var next = follow else { return false }
        let time = now - next.milliseconds
        let (width, height) = (Double(picture.width), Double(picture.height))
        let expected = next.box(atMilliseconds: now)
        let (x, y) = (expected.x, expected.y)
        // The search area grows with the object's size and its speed.
        let across = Int(clamping: max(4, next.box.width * width * 0.5, abs(next.way.x) * time * width * 0.5))
        let down = Int(clamping: max(4, next.box.height * height * 0.35, abs(next.way.y) * time * height * 0.5))
        let (column, row) = (Int(clamping: (x * width).rounded()), Int(clamping: (y * height).rounded()))
        let scale = next.scale
        let best = best(among: Self.scales.followed, gain: 0.02) { patch, size in
            patch.find(
                in: picture, columns: column - across...column + across, rows: row - down...row + down,
                scale: scale * size, step: 1)
        }
        let track = sights.first { $0.track == next.track }
        let limit = max(Self.followed, Self.steadiness * next.best)
        let box: PictureRegion
        if let best, best.match.score >= limit {
            box = Self.box(best.match, of: best.patch, in: picture)
            next.scale = min(max(best.match.scale, 0.5), 2)
            next.best = max(next.best * 0.98, best.match.score)
            let nearest = sights.max { $0.box.overlap(with: box) < $1.box.overlap(with: box) }
            next.track = nearest.flatMap { $0.box.overlap(with: box) >= 0.3 ? $0.track : nil }
            if let nearest, nearest.track == next.track {
                next.offset = (box.centreX - nearest.box.centreX, box.centreY - nearest.box.centreY)
            }
        } else if let track {
            // The object turned and looks different. Its track still shows the place.
            box = PictureRegion(
                x: track.box.centreX + next.offset.x - next.box.width / 2,
                y: track.box.centreY + next.offset.y - next.box.height / 2, width: next.box.width,
                height: next.box.height)
        } else {
            return false
        }
        if time > 0 {
            let share = next.way == (0, 0) ? 1 : 0.5
            next.way.x += share * ((box.centreX - next.box.centreX) / time - next.way.x)
            next.way.y += share * ((box.centreY - next.box.centreY) / time - next.way.y)
        }
        (next.box, next.milliseconds) = (box, now)
        follow = next
        return true
    }

    /// The best candidate in the whole picture.
    private func candidate(in picture: PixelBuffer, _ sights: [Sight]) -> Question? {
        let (scene, refused) = (scene, refused.map(\.box))
        let (width, height) = (Double(picture.width), Double(picture.height))
        let best = best(among: Self.scales.anywhere, gain: 0.04) { patch, size in
            patch.find(
                in: picture, columns: 0...picture.width, rows: 0...picture.height, scale: size, step: 2
            ) { left, top, across, down in
                let (x, y) = (
                    (Double(left) + Double(across) / 2) / width, (Double(top) + Double(down) / 2) / height
                )
                return scene.share(left: left, top: top, width: across, height: down) >= Self.change
                    && !refused.contains { $0.touches(x: x, y: y) }
            }
        }
        if let best, best.match.score >= Self.found {
            let box = Self.box(best.match, of: best.patch, in: picture)
            return isCut(box) ? nil : Question(box: box, score: best.match.score, scale: best.match.scale)
        }
        let similar = sights.filter { sight in
            !isCut(sight.box) && !refused.contains { $0.overlap(with: sight.box) > 0.5 }
        }.compactMap { sight in
            appearance.similarity(to: sight.features).map { (sight: sight, similarity: $0) }
        }.max { $0.similarity < $1.similarity }
        guard let similar, similar.similarity >= Self.alike.track else { return nil }
        return Question(box: similar.sight.box, score: Self.followed, scale: 1, track: similar.sight.track)
    }

    /// The best match of all patterns and sizes.
    ///
    /// - Parameter gain: what a change of size must add to the score.
    private func best(
        among sizes: [Double], gain: Double, find: (ColourPatch, Double) -> ColourPatch.Match?
    ) -> (match: ColourPatch.Match, patch: ColourPatch)? {
        var best: (match: ColourPatch.Match, patch: ColourPatch)?
        for patch in appearance.patches {
            for size in sizes {
                guard let match = find(patch, size), match.score - (size == 1 ? 0 : gain) > best?.match.score ?? -1
                else { continue }
                best = (match, patch)
            }
        }
        return best
    }

    private static func box(_ match: ColourPatch.Match, of patch: ColourPatch, in picture: PixelBuffer) -> PictureRegion
    {
        let (width, height) = (Double(picture.width), Double(picture.height))
        return PictureRegion(
            x: match.left / width, y: match.top / height, width: Double(patch.width) * match.scale / width,
            height: Double(patch.height) * match.scale / height)
    }
}
