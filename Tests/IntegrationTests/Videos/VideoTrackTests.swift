import Base
import Foundation
import Imaging
import Recognition
import Streams
import TestSupport
import Testing
import TrackingMeasures

@testable import Video

/// Films with known positions. The test measures how complete the tracks are, before and after their pieces are joined.
@Suite("Tracks of films", .enabled(if: SharedFolder.isThere && FilmMaker.isThere), .timeLimit(.minutes(10)))
struct VideoTrackTests {
    private func photo(_ group: String, _ label: String, _ index: Int = 0) throws -> URL {
        try SharedFolder.photos(group, label)[index]
    }

    private func films() throws -> [(name: String, film: Film)] {
        let (beagle, collie, cat) = (
            try photo("dog", "beagle"), try photo("dog", "border_collie"), try photo("cat", "maine_coon", 1)
        )
        let alp = try photo("object", "alp")
        return [
            (
                "two dogs pass one another",
                Film(
                    seconds: 5, rate: 25, scene: alp,
                    sprites: [
                        .init(beagle, width: 190, height: 170, from: (0, 20), aSecond: (90, 0)),
                        .init(collie, width: 200, height: 170, from: (430, 185), aSecond: (-85, 0)),
                    ])
            ),
            (
                "a cat goes behind a wall",
                Film(
                    seconds: 5, rate: 25, scene: alp,
                    sprites: [.init(cat, width: 180, height: 180, from: (0, 120), aSecond: (100, 0))], wall: 260..<400)
            ),
            (
                "a dog that is not seen for a while, and a cat that is",
                Film(
                    seconds: 5, rate: 25, scene: alp,
                    sprites: [
                        .init(beagle, width: 190, height: 170, from: (0, 10), aSecond: (70, 0), away: 1.5...2.9),
                        .init(cat, width: 170, height: 165, from: (440, 185), aSecond: (-10, 0)),
                    ])
            ),
            (
                "a fast dog and a slow cat",
                Film(
                    seconds: 4, rate: 25, scene: nil,
                    sprites: [
                        .init(collie, width: 170, height: 150, from: (-60, 10), aSecond: (170, 0)),
                        .init(cat, width: 180, height: 170, from: (300, 180), aSecond: (20, 0)),
                    ])
            ),
        ]
    }

    private func measure(_ tracks: [VideoFindings.Track], _ film: Film, _ times: [Int]) -> TrackingMeasures {
        var measures = TrackingMeasures(overlap: 0.3)
        for time in times {
            var answer: [Int: PictureRegion] = [:]
            for track in tracks {
                for box in track.boxes where box.milliseconds == time {
                    answer[track.track] = box.region
                }
            }
            measures.add(
                truth: film.truth(at: time).mapValues {
                    PictureRegion(x: $0.x, y: $0.y, width: $0.width, height: $0.height)
                }, answer: answer)
        }
        return measures
    }

    @Test func `at five pictures a second everybody has one track, and no fewer than before the joining`() async throws
    {
        let recogniser = try LiveService.recogniser.get()
        let options = VideoAnalysis.Options(every: 5)
        let analysis = VideoAnalysis(
            recogniser: recogniser, program: HelperProgram(path: Program.menagerie.url.path), options: options)
        var (before, after) = (0.0, 0.0)
        let films = try films()
        for (name, film) in films {
            try await withFilmFolder { folder in
                let file = folder.appending(path: "film.mp4")
                try await film.render(to: file)
                let input = try FileHandle(forReadingFrom: file)
                let noted = Noted()
                let findings = try await analysis.run(input.fileDescriptor) { event in
                    if case .answer(let answer, let milliseconds) = event {
                        await noted.add(milliseconds) { $0.add(answer, at: milliseconds) }
                    }
                }
                let (times, pieces) = await (noted.times, noted.collector.findings(VideoEnding(), joins: false).tracks)
                #expect(times.count == Int(film.seconds * 5))
                let (raw, joined) = (measure(pieces, film, times), measure(findings.tracks, film, times))
                print(
                    "\(name): \(film.sprites.count) in sight; tracks \(pieces.count) → \(findings.tracks.count), "
                        + "IDF1 \(Self.percent(raw.identityF1)) → \(Self.percent(joined.identityF1)), "
                        + "switches \(raw.identitySwitches) → \(joined.identitySwitches), "
                        + "MOTA \(Self.percent(raw.accuracy)) → \(Self.percent(joined.accuracy))")
                #expect(joined.identityF1 >= raw.identityF1, "\(name)")
                #expect(joined.identitySwitches <= raw.identitySwitches, "\(name)")
                #expect(findings.tracks.count == film.sprites.count, "\(name)")
                before += raw.identityF1 / Double(films.count)
                after += joined.identityF1 / Double(films.count)
            }
        }
        print("IDF1 in the mean \(Self.percent(before)) → \(Self.percent(after))")
        #expect(after > before)
    }

    private static func percent(_ share: Double) -> String { "\((share * 1000).rounded() / 10) %" }

    private actor Noted {
        var times: [Int] = []
        var collector = FindingsCollector()

        func add(_ time: Int, _ body: @Sendable (inout FindingsCollector) -> Void) {
            times.append(time)
            body(&collector)
        }
    }
}
