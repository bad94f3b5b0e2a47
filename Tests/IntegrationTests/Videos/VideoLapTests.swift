import Foundation
import TestSupport
import Testing

/// Laps in films with known times of passing.
@Suite("Laps of films", .enabled(if: SharedFolder.isThere && FilmMaker.isThere), .timeLimit(.minutes(10)))
struct VideoLapTests {
    private typealias Object = [String: any Sendable]

    private static let period = 4.0

    /// A film of a cat that crosses the picture from left to right in two seconds, and returns every four.
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
                // The times are exact to one frame of the film by boxes, and to one analysed frame by classification.
                let tolerance = means == "boxes" ? 40.0 : 80
                for time in times { #expect(abs(time - Self.period * 1000) <= tolerance, "\(times)") }
                #expect(timed["best_ms"] as? Double == times.min())

                // The timer is an ordinary one with pictures, and outlives the video.
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

    /// A red toy with a blue stripe, which no detector has a label for.
    private func toy(in folder: URL) throws -> URL {
        let (width, height) = (120, 90)
        var bytes = Array("BM".utf8) + [UInt8](repeating: 0, count: 52)
        func put(_ value: Int, at index: Int) {
            for byte in 0..<4 { bytes[index + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte)) }
        }
        for (index, value) in [(2, 54 + width * height * 3), (10, 54), (14, 40), (18, width), (22, height)] {
            put(value, at: index)
        }
        (bytes[26], bytes[28]) = (1, 24)
        for row in 0..<height {
            for column in 0..<width {
                let isStripe = (35..<50).contains(row) && column > 30
                let shade = UInt8((column * 13 + row * 7) % 24)
                bytes += isStripe ? [180 + shade, 60, 20] : [25, 20 + shade, 200 + shade]
            }
        }
        let file = folder.appending(path: "toy.bmp")
        try Data(bytes).write(to: file)
        return file
    }

    @Test func `a thing without a name that is pointed at is timed, and what passes besides is not`() async throws {
        try await withOwnService { service in
            try await withFilmFolder { folder in
                @Sendable func place(_ time: Double, _ start: Double) -> Double {
                    time < start ? -300 : -200 + 420 * (time - start).truncatingRemainder(dividingBy: Self.period)
                }
                let film = Film(
                    seconds: 4 * Self.period - 1.2, rate: 25, scene: try SharedFolder.photos("object", "alp")[0],
                    sprites: [
                        Film.Sprite(
                            photo: try toy(in: folder), width: 120, height: 90,
                            x: "-200+420*mod(t,\(Self.period))", y: "200", place: { (place($0, 0), 200) }),
                        Film.Sprite(
                            photo: try SharedFolder.photos("dog", "beagle")[0], width: 160, height: 160,
                            x: "if(lt(t\\,2)\\,-300\\,-200+420*mod(t-2\\,\(Self.period)))", y: "180",
                            place: { (place($0, 2), 180) }),
                    ])
                let file = folder.appending(path: "toy.mp4")
                try await film.render(to: file)
                let bytes = [UInt8](try Data(contentsOf: file))
                let late = try await service.addVideo(bytes, query: "point=0.4375,0.51&point_s=9000")
                let failed = try await service.endOfVideo(try #require(late.headers["location"]))
                let problem = try #require(failed["problem"] as? Object, "\(failed)")
                #expect(problem["status"] as? Int == 400 && "\(problem)".contains("point_s"), "\(problem)")
                // After one second the toy's middle is at 280 of 640 pixels.
                let added = try await service.addVideo(
                    bytes, query: "point=0.4375,0.51&point_s=1&laps=red%20toy&minimum_lap_s=1&every=12.5")
                #expect(added.status == 202, "\(added.text)")
                let video = try await service.endOfVideo(try #require(added.headers["location"]))
                let timed = try #require(video["laps"] as? Object, "\(video)")
                #expect(timed["by"] as? String == "look", "\(timed)")
                let laps = try #require(timed["laps"] as? [Object])
                let times = laps.compactMap { $0["lap_ms"] as? Double }
                #expect(times.count == 3 && times.allSatisfy { abs($0 - Self.period * 1000) <= 40 }, "\(laps)")
                #expect(laps.allSatisfy { $0["label"] as? String == "red toy" && $0["name"] as? String == "Red toy" })
            }
        }
    }

    @Test func `the command line times the same laps, in words, as JSON and as CSV`() async throws {
        try await withFilmFolder { folder in
            let file = folder.appending(path: "laps.mp4")
            let csv = folder.appending(path: "laps.csv")
            try await film(passages: 3).render(to: file)
            let environment = [
                "MENAGERIE_RECOGNITION_MODELS_DIRECTORY": LiveService.package.appending(path: "Models").path,
                "MENAGERIE_LOG_LEVEL": "error",
            ]
            let arguments = [
                "video", file.path, "--laps", "cat", "--line", "0.5,0,0.5,1", "--minimum-lap", "1", "--every", "12.5",
            ]
            let json = try await Program.menagerie.run(
                arguments + ["--json", "--laps-csv", csv.path], environment: environment)
            #expect(json.status == 0, "\(json.errors)")
            let document = try #require(
                try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? Object, "\(json.output)")
            let laps = try #require(document["laps"] as? [Object])
            let times = laps.compactMap { $0["lap_ms"] as? Double }
            #expect(times.count == 2 && times.allSatisfy { abs($0 - Self.period * 1000) <= 40 }, "\(times)")
            #expect(laps.map { $0["name"] as? String } == ["Cat", "Cat"])

            let lines = try String(contentsOf: csv, encoding: .utf8).split(separator: "\r\n").map {
                $0.split(separator: ",", omittingEmptySubsequences: false)
            }
            #expect(lines.map(\.count) == [7, 7, 7] && lines[0][5] == "lap_ms")
            for (line, time) in zip(lines.dropFirst(), times) {
                #expect(abs((Double(line[5]) ?? 0) - time) <= 0.05, "\(line)")
            }

            let words = try await Program.menagerie.run(arguments, environment: environment)
            #expect(words.status == 0 && words.output.contains("Lap 1 of Cat 1: "), "\(words.output) \(words.errors)")
            #expect(words.output.contains("Lap 2 of Cat 1: "), "\(words.output)")

            for (wrong, word) in [
                (["--laps", "unicorn"], "unicorn"), (["--line", "0.5,0,0.5,1"], "--laps"),
                (["--laps", "cat", "--line", "0.5,0"], "--line"),
                (["--laps", "maine_coon", "--line", "0.5,0,0.5,1"], "maine_coon"),
                (["--laps", "cat", "--minimum-lap", "0"], "--minimum-lap"),
                (["--laps", "cat", "--laps-csv", folder.path + "/none/laps.csv"], "laps.csv"),
            ] {
                let refused = try await Program.menagerie.run(
                    ["video", file.path, "--every", "1"] + wrong, environment: environment)
                #expect(refused.status != 0 && refused.errors.contains(word), "\(wrong): \(refused.errors)")
            }
        }
    }

    @Test func `without a place for another timer, only the answer has the laps`() async throws {
        try await withOwnService { service in
            try await withFilmFolder { folder in
                let file = folder.appending(path: "laps.mp4")
                try await film(passages: 2).render(to: file)
                let body = Array(#"{"label":"cat"}"#.utf8)
                while try await service.request("POST", "/laps", body: body).status == 201 {}
                let refused = try await service.request("POST", "/laps", body: body)
                #expect(refused.status == 409 && refused.text.contains("1000 lap timers"), "\(refused.text)")

                let added = try await service.addVideo(
                    [UInt8](try Data(contentsOf: file)), query: "laps=cat&line=0.5,0,0.5,1&minimum_lap_s=1&every=12.5")
                let video = try await service.endOfVideo(try #require(added.headers["location"]))
                #expect(video["state"] as? String == "done", "\(video)")
                let warnings = try #require(video["warnings"] as? [Object])
                #expect(warnings.map { $0["code"] as? String } == ["laps-not-kept"], "\(warnings)")
                #expect((warnings[0]["detail"] as? String ?? "").contains("1000 lap timers"), "\(warnings)")
                let timed = try #require(video["laps"] as? Object)
                let laps = try #require(timed["laps"] as? [Object])
                #expect(laps.count == 1 && laps[0]["photo_url"] == nil)
                #expect(timed["id"] == nil && timed["url"] == nil && timed["export_url"] == nil, "\(timed)")
                #expect(try await service.request("GET", "/laps?limit=1").object()["total"] as? Int == 1000)
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
                ("point=0.5", "point"), ("point=2,0.5", "point"), ("point=a,b", "point"), ("laps=car&point=", "point"),
                ("laps=car&point_s=1", "point_s"), ("point_s=1", "point_s"), ("point=0.5,0.5&point_s=-1", "point_s"),
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
