import Base
import Testing

@testable import Video

@Suite("Pieces of tracks") struct TrackJoinerTests {
    /// A piece of a track that moves right by this share of the picture per second.
    private func piece(
        _ number: Int, _ label: String = "dog", from first: Int, to last: Int, x: Double = 0.1, y: Double = 0.3,
        speed: Double = 0.1, confidence: Double = 0.6, breed: String? = nil, width: Double = 0.2
    ) -> VideoFindings.Track {
        let boxes = stride(from: first, through: last, by: 200).map { time in
            VideoFindings.Box(
                milliseconds: time, x: x + speed * Double(time - first) / 1000, y: y, width: width, height: 0.3,
                confidence: confidence)
        }
        return VideoFindings.Track(
            track: number, label: label, first: first, last: last,
            best: .init(milliseconds: first, confidence: confidence, box: boxes[0]),
            breeds: breed.map { [.init(label: $0, confidence: 0.9)] } ?? [], boxes: boxes)
    }

    /// Five pictures a second.
    private static let joiner = TrackJoiner(pictures: Array(stride(from: 0, through: 60_000, by: 200)))

    private func joined(_ tracks: VideoFindings.Track...) -> [VideoFindings.Track] {
        Self.joiner.joined(tracks)
    }

    @Test func `a dog that is a cow for a while is a dog`() {
        let all = joined(
            piece(1, from: 0, to: 2000), piece(3, "cow", from: 2200, to: 2800, x: 0.32),
            piece(4, from: 3000, to: 5000, x: 0.4))
        #expect(all.map(\.track) == [1])
        #expect(all.first?.label == "dog")
        #expect(all.first?.boxes.count == 26)
        #expect(all.first.map { [$0.first, $0.last] } == [0, 5000])
    }

    @Test func `two names of one animal at one place are one track, with the surer box of each picture`() {
        let all = joined(
            piece(1, from: 0, to: 2000, confidence: 0.5), piece(2, "cow", from: 400, to: 1200, x: 0.15, confidence: 0.7)
        )
        #expect(all.count == 1)
        #expect(all.first?.label == "dog")
        let surer = all.first?.boxes.filter { $0.confidence == 0.7 }
        #expect(surer?.count == 5)
        #expect(all.first?.boxes.count == 11)
    }

    @Test func `a head with a lower score than the animal is part of it, a kitten is not`() {
        let mother = piece(1, "cat", from: 0, to: 2000, confidence: 0.7, width: 0.4)
        let head = piece(2, "dog", from: 400, to: 1800, x: 0.16, confidence: 0.5, width: 0.1)
        #expect(joined(mother, head).map(\.track) == [1])
        let kitten = piece(2, "cat", from: 400, to: 1800, x: 0.16, confidence: 0.8, width: 0.1)
        #expect(joined(mother, kitten).map(\.track) == [1, 2])
        let bottle = piece(2, "bottle", from: 400, to: 1800, x: 0.16, confidence: 0.5, width: 0.1)
        #expect(joined(mother, bottle).map(\.track) == [1, 2])
    }

    @Test func `a loose box that comes and goes around an animal is no animal of its own`() {
        let cat = piece(1, "cat", from: 0, to: 4000, confidence: 0.7, width: 0.2)
        func loose(_ label: String = "cat", to last: Int = 1800, x: Double = 0.05, confidence: Double = 0.5)
            -> VideoFindings.Track
        {
            piece(2, label, from: 400, to: last, x: x, confidence: confidence, width: 0.5)
        }
        #expect(joined(cat, loose()).map(\.track) == [1])
        #expect(joined(cat, loose("dog")).map(\.track) == [1])
        // It stays if it is as sure, lives longer, lies elsewhere or is a thing.
        #expect(joined(cat, loose(confidence: 0.7)).map(\.track) == [1, 2])
        #expect(joined(cat, loose(to: 3600)).map(\.track) == [1, 2])
        #expect(joined(cat, loose(x: 0.25)).map(\.track) == [1, 2])
        #expect(joined(cat, loose("couch")).map(\.track) == [1, 2])
    }

    @Test func `a tight and a loose box that take turns around one animal are one track`() {
        func every(_ turn: Int, _ track: VideoFindings.Track) -> VideoFindings.Track {
            var track = track
            track.boxes = track.boxes.filter { $0.milliseconds / 200 % 2 == turn }
            return track
        }
        let tight = every(0, piece(1, "bird", from: 0, to: 3000, confidence: 0.7, width: 0.2))
        func loose(_ label: String, x: Double = 0.05) -> VideoFindings.Track {
            every(1, piece(2, label, from: 0, to: 3000, x: x, confidence: 0.8, width: 0.5))
        }
        #expect(joined(tight, loose("bird")).map(\.boxes.count) == [16])
        // Another animal beside it, and one around which it is seen, stay.
        #expect(joined(tight, loose("bird", x: 0.25)).map(\.track) == [1, 2])
        #expect(joined(tight, piece(2, "bird", from: 0, to: 3000, x: 0.05, confidence: 0.7, width: 0.5)).count == 2)
    }

    @Test func `what is seen in few of its pictures is not there`() {
        func seen(_ times: Int...) -> VideoFindings.Track {
            var track = piece(1, from: 0, to: 3000)
            track.boxes = track.boxes.filter { times.contains($0.milliseconds) }
            return track
        }
        #expect(joined(seen(0, 1200, 3000)).isEmpty)
        #expect(joined(seen(0, 600, 1200, 1800, 2400, 3000)).count == 1)
    }

    @Test(.timeLimit(.minutes(1)))
    func `two hours of birds at a feeder beside a sleeping cat are joined in seconds`() {
        let hours = 7_200_000
        var tracks = [piece(1, "cat", from: 0, to: hours, speed: 0)]
        for number in 0..<6000 {
            let (first, x) = (number * 1200, Double(number % 10) / 10)
            tracks.append(
                piece(
                    2 + number, "bird", from: first, to: first + 8000, x: x, y: 0, speed: 0,
                    confidence: number % 2 == 0 ? 0.5 : 0.7, width: 0.05))
        }
        let pictures = Array(stride(from: 0, through: hours + 8000, by: 200))
        let all = TrackJoiner(pictures: pictures).joined(tracks)
        #expect(all.first?.track == 1 && all.first?.boxes.count == 36_001)
    }

    @Test func `of a film with few pictures, each counts`() {
        func film(_ interval: Int, of count: Int, splitAt cut: Int? = nil) -> [VideoFindings.Track] {
            let times = (0..<count).map { $0 * interval }
            func piece(_ number: Int, _ times: [Int]) -> VideoFindings.Track {
                let boxes = times.map {
                    VideoFindings.Box(
                        milliseconds: $0, x: 0.1, y: 0.3, width: 0.2, height: 0.3, confidence: 0.6)
                }
                return VideoFindings.Track(
                    track: number, label: "cat", first: times[0], last: times[times.count - 1],
                    best: .init(milliseconds: times[0], confidence: 0.6, box: boxes[0]), breeds: [], boxes: boxes)
            }
            let pieces = cut.map { [Array(times[..<$0]), Array(times[$0...])] } ?? [times]
            return TrackJoiner(pictures: times).joined(pieces.enumerated().map { piece($0 + 1, $1) })
        }
        #expect(film(500, of: 6).map(\.boxes.count) == [6])
        #expect(film(10_000, of: 6).map(\.boxes.count) == [6])
        #expect(film(10_000, of: 6, splitAt: 3).map(\.boxes.count) == [6])
    }

    @Test func `what comes after an hour's pause of a recording is another animal`() {
        let hour = 3_600_000
        let (before, after) = (piece(1, from: 0, to: 2000, speed: 0), piece(2, from: hour, to: hour + 2000, speed: 0))
        let times = (before.boxes + after.boxes).map(\.milliseconds)
        #expect(TrackJoiner(pictures: times).joined([before, after]).map(\.track) == [1, 2])
    }

    @Test func `pieces are one by what they may be, not by their first names`() {
        func may(_ track: VideoFindings.Track, _ words: (String, Float)...) -> VideoFindings.Track {
            var track = track
            track.words = words.map { Prediction(label: $0.0, confidence: $0.1) }
            return track
        }
        let bottle = may(piece(1, "bottle", from: 0, to: 1000), ("bottle", 0.5), ("vase", 0.4))
        let vase = piece(2, "vase", from: 1200, to: 3000, x: 0.22)
        #expect(joined(bottle, may(vase, ("vase", 0.6), ("bottle", 0.3))).count == 1)
        #expect(joined(bottle, may(vase, ("vase", 0.95))).count == 1)
        let (cat, dog) = (
            may(piece(1, "cat", from: 0, to: 1000), ("cat", 0.97)),
            may(piece(2, "dog", from: 1200, to: 3000, x: 0.22), ("dog", 0.98))
        )
        #expect(joined(cat, dog).map(\.label) == ["cat", "dog"])
    }

    @Test func `an animal that walks on behind an obstacle is the same when it comes out`() {
        #expect(joined(piece(1, from: 0, to: 1000), piece(2, from: 2000, to: 3000, x: 0.3)).count == 1)
        // The animal turned back and returns where it left.
        #expect(joined(piece(1, from: 0, to: 1000), piece(2, from: 2000, to: 3000, x: 0.2, speed: -0.1)).count == 1)
    }

    @Test func `others stay others`() {
        // The second piece is too far away, too late, too large, of another kind, of another breed, or at the same
        // time.
        #expect(joined(piece(1, from: 0, to: 1000), piece(2, from: 1200, to: 3000, x: 0.7)).count == 2)
        #expect(joined(piece(1, from: 0, to: 1000), piece(2, from: 4000, to: 6000, x: 0.3)).count == 2)
        #expect(joined(piece(1, from: 0, to: 1000), piece(2, from: 1200, to: 3000, x: 0.1, width: 0.5)).count == 2)
        #expect(joined(piece(1, from: 0, to: 1000), piece(2, "person", from: 1200, to: 3000, x: 0.2)).count == 2)
        #expect(
            joined(
                piece(1, from: 0, to: 1000, breed: "beagle"), piece(2, from: 1200, to: 3000, x: 0.2, breed: "poodle")
            ).count == 2)
        #expect(joined(piece(1, from: 0, to: 3000), piece(2, from: 0, to: 3000, x: 0.25)).count == 2)
        #expect(joined(piece(1, from: 0, to: 2000), piece(2, from: 1000, to: 3000, x: 0.35)).count == 2)
    }

    @Test func `of two that part each keeps its own`() {
        let all = joined(
            piece(1, from: 0, to: 1000, x: 0.1, speed: 0.2), piece(2, from: 0, to: 1000, x: 0.6, speed: -0.2),
            piece(3, from: 1400, to: 2400, x: 0.38, speed: 0.2), piece(4, from: 1400, to: 2400, x: 0.32, speed: -0.2))
        #expect(all.count == 2)
        #expect(all.first?.boxes.last.map { $0.x > 0.5 } == true)
        #expect(all.last?.boxes.last.map { $0.x < 0.2 } == true)
    }

    @Test func `the order in which they come does not matter, and nothing comes of nothing`() {
        let tracks = [
            piece(1, from: 0, to: 2000), piece(3, "cow", from: 2200, to: 2800, x: 0.32),
            piece(4, from: 3000, to: 5000, x: 0.4), piece(5, "person", from: 0, to: 5000, x: 0.7, speed: 0),
        ]
        let joiner = Self.joiner
        #expect(joiner.joined(tracks) == joiner.joined(tracks.reversed()))
        #expect(joiner.joined([]).isEmpty)
    }
}
