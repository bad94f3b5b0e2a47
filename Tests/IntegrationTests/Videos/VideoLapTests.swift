import Foundation
import TestSupport
import Testing

/// Laps of a film of which it is known when the cat comes by.
@Suite("Laps of films", .enabled(if: SharedFolder.isThere && FilmMaker.isThere), .timeLimit(.minutes(10)))
struct VideoLapTests {
    private typealias Object = [String: any Sendable]

    private static let period = 4.0

    /// A cat that crosses the picture from left to right in two seconds, and comes back every four.
    private func film(passages: Int) throws -> Film {
        let speed = 420
        return Film(
            seconds: Double(passages) * Self.period - 1.2, rate: 25, scene: nil,
            sprites: [
                Film.Sprite(
                    photo: try SharedFolder.photos("cat", "maine_coon")[1], width: 200, height: 200,
                    x: "-200+\(speed)*mod(t,\(Self.period))", y: "80",
                    place: { (-200 + Double(speed) * $0.truncatingRemainder(dividingBy: Self.period), 80) })
            ])
    }

    @Test(arguments: [
        ("laps=cat&line=0.5,0,0.5,1", "boxes"), ("laps=maine_coon&detect=false&threshold=0.5", "classification"),
    ])
    func `no lap is missed or invented, each within a frame`(_ query: String, _ means: String) async throws {
        try await withOwnService { service in
            try await withFilmFolder { folder in
                let file = folder.appending(path: "laps.mp4")
                try await film(passages: 4).render(to: file)
                let added = try await service.addVideo(
                    [UInt8](try Data(contentsOf: file)), query: query + "&minimum_lap_s=1&every=12.5")
                #expect(added.status == 202, "\(added.text)")
                let path = try #require(added.headers["location"])
                let early = try #require(try added.object()["laps"] as? Object)
                #expect((early["laps"] as? [Object])?.isEmpty == true)
                let video = try await service.endOfVideo(path)
                #expect(video["state"] as? String == "done", "\(video)")
                let timed = try #require(video["laps"] as? Object)
                #expect(timed["by"] as? String == means)
                let laps = try #require(timed["laps"] as? [Object])
                let times = laps.compactMap { $0["lap_ms"] as? Double }
                #expect(times.count == 3, "\(times)")
                // By boxes within a frame of the film, by classification within one that was looked at.
                let tolerance = means == "boxes" ? 40.0 : 80
                for time in times { #expect(abs(time - Self.period * 1000) <= tolerance, "\(times)") }
                #expect(timed["best_ms"] as? Double == times.min())

                // The session is there like any other, with its pictures, and outlives the video.
                let timer = try #require(timed["url"] as? String)
                let session = try await service.request("GET", timer).object()
                #expect(session["video"] as? String == video["id"] as? String)
                #expect((session["laps"] as? [Object])?.count == times.count)
                #expect(try await service.request("GET", "/laps").items().count == 1)
                let photo = try await service.request("GET", try #require(laps.first?["photo_url"] as? String))
                #expect(photo.status == 200 && photo.body.starts(with: [0xFF, 0xD8]))
                let csv = try await service.request("GET", try #require(timed["export_url"] as? String))
                #expect(csv.headers["content-type"]?.hasPrefix("text/csv") == true)
                #expect(csv.text.split(separator: "\r\n").count == times.count + 1)
                #expect(try await service.request("DELETE", path).status == 204)
                #expect(try await service.request("GET", timer).status == 200)
            }
        }
    }

    @Test func `what cannot be timed is refused with the reason, before it is read`() async throws {
        try await withOwnService { service in
            for (query, parameter) in [
                ("laps=unicorn", "laps"), ("laps=", "laps"), ("line=0.5,0,0.5,1", "line"),
                ("minimum_lap_s=5", "minimum_lap_s"), ("laps=car&line=0.5,0,0.5", "line"),
                ("laps=car&line=0.5,0,0.5,0", "line"), ("laps=car&line=0.5,0,0.5,2", "line"),
                ("laps=car&line=a,b,c,d", "line"), ("laps=car&minimum_lap_s=0", "minimum_lap_s"),
                ("laps=car&threshold=1.5", "threshold"), ("laps=sports_car&line=0.5,0,0.5,1", "line"),
                ("laps=maine_coon&detect=false&line=0.5,0,0.5,1", "line"), ("laps=car&laps=dog", "laps"),
            ] {
                let answer = try await service.addVideo([0, 0, 0, 1], query: query)
                #expect(answer.status == 400, "\(query): \(answer.text)")
                #expect(try answer.object()["parameter"] as? String == parameter, "\(query): \(answer.text)")
            }
            #expect(service.videoFolders.isEmpty)
            #expect(try await service.request("GET", "/laps").items().isEmpty)
        }
    }
}
