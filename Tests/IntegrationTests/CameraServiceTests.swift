import Base
import Foundation
import TestSupport
import Testing

/// `/cameras` of the built program, over real sockets.
@Suite("Watched cameras", .enabled(if: FilmMaker.isThere && SharedFolder.isThere), .timeLimit(.minutes(10)))
struct CameraServiceTests {
    let films: TemporaryFolder

    init() throws { films = try TemporaryFolder() }

    func service(_ settings: [String: String] = [:], in folder: TemporaryFolder? = nil) throws -> ServiceProcess {
        try ServiceProcess(
            ["security.open": "true", "cameras.enabled": "true", "cameras.files": films.path].merging(settings) { $1 },
            in: folder)
    }

    func add(_ service: ServiceProcess, _ body: String) async throws -> RawResponse {
        try await service.request("POST", "/cameras", headers: [("Content-Type", "application/json")], body: body)
    }

    /// A film of a still yard. A cat sits in it from the second second on.
    func film(_ name: String, cat: Bool, until end: Int = 5, of seconds: Int = 12) async throws {
        let target = URL(filePath: films.path).appending(path: name)
        let film = try await YardFilms.shared.film(target.pathExtension, catUntil: cat ? end : nil, seconds: seconds)
        try FileManager.default.copyItem(at: film, to: target)
    }

    private func state(_ service: ServiceProcess, _ id: String) async throws -> [String: any Sendable] {
        try await service.request("GET", "/cameras/\(id)").object()
    }

    @Test func aCatBecomesASightingAndAScan() async throws {
        try await film("porch.mp4", cat: true)
        let service = try service()
        let added = try await add(service, #"{"name":"Front porch","url":"file:porch.mp4"}"#)
        #expect(added.status == 201, "\(added.text)")
        #expect(added.headers["location"] == "/cameras/front_porch")
        try await eventually { try await state(service, "front_porch")["state"] as? String == "ended" }
        let page = try await service.request("GET", "/cameras/front_porch/sightings").object()
        let items = try #require(page["items"] as? [[String: any Sendable]])
        #expect(items.count == 1, "\(page)")
        let sighting = try #require(items.first)
        #expect(sighting["label"] as? String == "cat")
        #expect(sighting["first_ever"] as? Bool == true && sighting["count_today"] as? Int == 1)
        let picture = try await service.request("GET", try #require(sighting["picture_url"] as? String))
        #expect(picture.status == 200 && picture.body.starts(with: [0xFF, 0xD8]))
        let scan = try await service.request("GET", try #require(sighting["scan_url"] as? String))
        #expect(scan.status == 200, "\(scan.text)")
        #expect(try await service.request("GET", "/cameras/front_porch/picture").status == 200)
        // The empty parts of the film are not analysed.
        let counts = try #require(try await state(service, "front_porch")["counts"] as? [String: Int])
        #expect((counts["looks"] ?? 60) < 50, "\(counts)")
    }

    @Test func whoeverIsThereWhenTheServiceStopsBecomesAScanToo() async throws {
        try await film("long.mp4", cat: true, until: 120, of: 120)
        let folder = try TemporaryFolder()
        let first = try service(in: folder)
        _ = try await add(first, #"{"name":"Porch","url":"file:long.mp4"}"#)
        try await eventually {
            try await first.request("GET", "/cameras/porch/sightings").items().isEmpty == false
        }
        first.terminate()
        #expect(try await first.exitCode() == 0)
        let second = try service(in: folder)
        let sighting = try #require(try await second.request("GET", "/cameras/porch/sightings").items().last)
        let scan = try await second.request("GET", try #require(sighting["scan_url"] as? String))
        #expect(scan.status == 200, "\(scan.text)")
    }

    @Test(.enabled(if: MQTTBroker.isAvailable)) func theLastAnimalIsToldAgainAfterAPowerCut() async throws {
        try await film("porch.mp4", cat: true)
        let folder = try TemporaryFolder()
        let first = try service(in: folder)
        _ = try await add(first, #"{"name":"Porch","url":"file:porch.mp4"}"#)
        try await eventually { try await state(first, "porch")["state"] as? String == "ended" }
        try await first.kill()
        try FileManager.default.removeItem(atPath: films.path + "/porch.mp4")
        let broker = try MQTTBroker()
        try await broker.start()
        let listener = try broker.listener(["-t", "menagerie/porch/animal", "-t", "menagerie/porch/events"])
        let second = try service(["mqtt.url": "mqtt://127.0.0.1:\(broker.port)"], in: folder)
        try await eventually { listener.lines.contains { $0.hasPrefix("menagerie/porch/animal ") } }
        let sighting = try #require(try await second.request("GET", "/cameras/porch/sightings").items().first)
        let told = try #require(listener.lines.first)
        #expect(told.contains(try #require(sighting["id"] as? String)) && told.contains(#""label":"cat""#), "\(told)")
        #expect(!listener.lines.contains { $0.hasPrefix("menagerie/porch/events") })
    }

    @Test func anEmptyYardIsHardlyLookedAt() async throws {
        try await film("yard.mp4", cat: false)
        let service = try service()
        _ = try await add(service, #"{"name":"Yard","url":"file:yard.mp4","saves_scans":false}"#)
        try await eventually { try await state(service, "yard")["state"] as? String == "ended" }
        let counts = try #require(try await state(service, "yard")["counts"] as? [String: Int])
        #expect((16...30).contains(counts["pictures"] ?? 60) && (counts["looks"] ?? 60) <= 16, "\(counts)")
        #expect(counts["sightings"] == 0)
    }

    @Test func camerasOutliveTheServiceAndAreForgotten() async throws {
        let folder = try TemporaryFolder()
        let first = try service(in: folder)
        #expect(try await add(first, #"{"name":"Porch","url":"file:missing.mp4"}"#).status == 201)
        #expect(try await add(first, #"{"name":"Porch","url":"file:missing.mp4","enabled":false}"#).status == 201)
        try await first.kill()
        let second = try service(in: folder)
        try await eventually { try await state(second, "porch")["state"] as? String == "away" }
        #expect(try await state(second, "porch")["problem"] as? String == "There is no film of that name.")
        #expect(try await state(second, "porch_2")["state"] as? String == "off")
        let renamed = try await second.request(
            "PATCH", "/cameras/porch", body: #"{"name":"Garden","looks_per_second":2}"#)
        #expect(renamed.status == 200 && renamed.text.contains(#""name":"Garden""#), "\(renamed.text)")
        #expect(try await second.request("DELETE", "/cameras/porch").status == 204)
        #expect(try await second.request("GET", "/cameras/porch").status == 404)
        #expect(try await second.request("DELETE", "/cameras/porch").status == 404)
        #expect(try await second.request("GET", "/cameras").items().count == 1)
    }

    @Test func camerasModelsAndNamesComeInPages() async throws {
        let service = try service()
        for name in ["Porch", "Yard", "Shed"] {
            _ = try await add(service, "{\"name\":\"\(name)\",\"url\":\"file:missing.mp4\",\"enabled\":false}")
        }
        let first = try await service.request("GET", "/cameras?limit=2").object()
        let cursor = try #require(first["next_cursor"] as? String)
        let second = try await service.request("GET", "/cameras?limit=2&cursor=\(cursor)")
        #expect(first["total"] as? Int == 3 && (first["items"] as? [Any])?.count == 2)
        #expect(try second.items().compactMap { $0["id"] as? String } == ["shed"])
        #expect(try second.object()["next_cursor"] is NSNull)
        #expect(try await service.request("GET", "/models?limit=1").items().count == 1)
        #expect(try await service.request("GET", "/individuals?limit=1").status == 200)
        for refused in ["limit=0", "limit=101", "cursor=x", "colour=red"] {
            #expect(try await service.request("GET", "/cameras?\(refused)").status == 400)
        }
    }

    @Test func passwordsAreNeverShownLoggedOrOnACommandLine() async throws {
        // The server sends nothing, so the worker waits.
        let silent = try HTTPReceiver { _ in nil }
        let service = try service()
        let secret = "geheim-\(UUID().uuidString)"
        let url = "http://anna:\(secret)@127.0.0.1:\(silent.port)/video.mjpg?pwd=\(secret)"
        let added = try await add(service, "{\"name\":\"Porch\",\"url\":\"\(url)\"}")
        #expect(added.status == 201)
        // Nobody listens at this port. The problem contains FFmpeg's own words.
        let closed = try MQTTBroker.freePort()
        let other = "rtsp://127.0.0.1:\(closed)/user=anna&password=\(secret)&channel=1"
        #expect(try await add(service, "{\"name\":\"Yard\",\"url\":\"\(other)\"}").status == 201)
        try await eventually { !silent.requests.isEmpty }
        try await eventually { try await state(service, "yard")["state"] as? String == "away" }
        var commands = ""
        for process in try FileManager.default.contentsOfDirectory(atPath: "/proc") where Int(process) != nil {
            let bytes = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") ?? Data()
            commands += String(decoding: bytes, as: UTF8.self) + "\n"
        }
        #expect(commands.contains("video-worker"))
        #expect(!commands.contains(secret))
        for path in ["/cameras", "/cameras/porch", "/cameras/yard", "/metrics"] {
            let text = try await service.request("GET", path).text
            #expect(!text.contains(secret), "\(path): \(text)")
        }
        #expect(service.log.contains("A camera cannot be watched"))
        #expect(!service.log.contains(secret))
        let attributes = try FileManager.default.attributesOfItem(
            atPath: service.dataDirectory + "/cameras/cameras.json")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func aCameraThatSendsGarbageIsAwayAndHurtsNobody() async throws {
        let garbage = try HTTPReceiver { _ in
            (
                200, "Content-Type: multipart/x-mixed-replace; boundary=x\r\n",
                (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            )
        }
        let service = try service()
        _ = try await add(service, "{\"name\":\"Bad\",\"url\":\"http://127.0.0.1:\(garbage.port)/v\"}")
        try await eventually { try await state(service, "bad")["state"] as? String == "away" }
        #expect(try await service.request("GET", "/livez").status == 200)
        try await eventually {
            let counts = try await state(service, "bad")["counts"] as? [String: Int]
            return (counts?["failures"] ?? 0) >= 2
        }
        #expect(service.log.components(separatedBy: "A camera cannot be watched").count == 2)
    }

    /// A camera of motion JPEG whose pictures announce 30,000 × 30,000 pixels.
    @Test func aCameraWithTooLargePicturesSaysHowLargeTheyAre() async throws {
        var picture = try Array(Data(contentsOf: LiveService.package.appending(path: "Tests/Photos/cat.jpg")))
        let frame = try #require(picture.indices.first { picture[$0...].starts(with: [0xFF, 0xC0, 0, 17, 8]) })
        picture.replaceSubrange(frame + 5..<frame + 9, with: [0x75, 0x30, 0x75, 0x30])
        let part = Array("--x\r\nContent-Type: image/jpeg\r\nContent-Length: \(picture.count)\r\n\r\n".utf8)
        let huge = try HTTPReceiver { [picture] _ in
            (200, "Content-Type: multipart/x-mixed-replace; boundary=x\r\n", part + picture + Array("\r\n--x".utf8))
        }
        let service = try service()
        _ = try await add(service, "{\"name\":\"Huge\",\"url\":\"http://127.0.0.1:\(huge.port)/v\"}")
        try await eventually { try await state(service, "huge")["state"] as? String == "away" }
        let problem = try await state(service, "huge")["problem"] as? String
        #expect(problem?.contains("30000 × 30000 pixels") == true, "\(problem ?? "none")")
    }

    @Test(.enabled(if: SmallFileSystem.obstacle == nil)) func aCameraForWhichTheDiskHasNoRoomIsA507() async throws {
        let folder = try TemporaryFolder()
        let disk = try SmallFileSystem(at: folder.path, megabytes: 64)
        defer { disk.unmount() }
        let service = try service(in: folder)
        _ = try await service.port()
        SmallFileSystem.fill(folder.path + "/filler")
        let answer = try await add(service, #"{"name":"Yard","url":"rtsp://127.0.0.1:1/v"}"#)
        #expect(answer.status == 507 && !answer.text.contains(folder.path), "\(answer.text)")
        #expect(try await service.request("GET", "/cameras").object()["total"] as? Int == 0)
    }

    @Test(.enabled(if: SmallFileSystem.obstacle == nil)) func aFullDiskLetsACameraGoWithItsSightings() async throws {
        let folder = try TemporaryFolder()
        let disk = try SmallFileSystem(at: folder.path, megabytes: 64)
        defer { disk.unmount() }
        let id = ULID.next().description
        let now = Date().timeIntervalSinceReferenceDate
        let sighting =
            #"{"id":"\#(id)","camera":"yard","cameraName":"Yard","label":"cat","confidence":0.9,"name":"Cat","#
            + #""first":\#(now),"last":\#(now),"box":{"x":0,"y":0,"width":1,"height":1},"#
            + #""isFirstToday":false,"isFirstEver":false,"countToday":1}"#
        try folder.write(Array(sighting.utf8), "data/cameras/sightings/\(id).json")
        try folder.write([UInt8](repeating: 0, count: 65_536), "data/cameras/sightings/\(id).jpg")
        let service = try service(in: folder)
        _ = try await service.port()
        #expect(try await add(service, #"{"name":"Yard","url":"rtsp://127.0.0.1:1/v"}"#).status == 201)
        #expect(try await service.request("GET", "/cameras/yard/sightings").object()["total"] as? Int == 1)
        SmallFileSystem.fill(folder.path + "/filler")
        #expect(try await service.request("DELETE", "/cameras/yard").status == 204)
        #expect(try await service.request("GET", "/cameras").object()["total"] as? Int == 0)
    }

    /// The camera sends a playlist that refers to a file of this machine.
    @Test func aCameraCannotReferToFiles() async throws {
        try films.write(Array("secret".utf8), "secret.ts")
        let playlist =
            "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nfile://\(films.path)/secret.ts\n#EXT-X-ENDLIST\n"
        let evil = try HTTPReceiver { _ in
            (200, "Content-Type: application/vnd.apple.mpegurl\r\n", Array(playlist.utf8))
        }
        let service = try service()
        _ = try await add(service, "{\"name\":\"Evil\",\"url\":\"http://127.0.0.1:\(evil.port)/v.m3u8\"}")
        try await eventually { try await state(service, "evil")["state"] as? String == "away" }
        #expect(try await service.request("GET", "/cameras/evil/picture").status == 404)
    }

    @Test func whatIsNoCameraIsA400() async throws {
        let service = try ServiceProcess(["security.open": "true", "cameras.enabled": "true"])
        let bodies = [
            "", "[]", "{}", #"{"name":"x"}"#, #"{"name":"x","url":"file:///etc/passwd"}"#,
            #"{"name":"x","url":"/etc/passwd"}"#,
            #"{"name":"x","url":5}"#, #"{"name":"x","url":"rtsp://a","looks_per_second":true}"#,
            #"{"name":"x","url":"rtsp://a","ignored":[{"x":0}]}"#, #"{"name":"x","url":"rtsp://a","colour":1}"#,
            #"{"name":"x","url":"rtsp://a","enabled":1}"#,
            #"{"name":"x","url":"rtsp://a","ignored":[{"x":0.9,"y":0,"width":0.5,"height":1}]}"#,
        ]
        for body in bodies {
            let answer = try await add(service, body)
            #expect(
                answer.status == 400 && answer.headers["content-type"] == "application/problem+json",
                "\(body): \(answer.text)")
        }
    }

    @Test func withoutTheSettingNothingIsWatched() async throws {
        let service = try ServiceProcess(["security.open": "true"])
        let answer = try await add(service, #"{"name":"x","url":"rtsp://127.0.0.1/a"}"#)
        #expect(answer.status == 409 && answer.text.contains("cameras.enabled"), "\(answer.text)")
        #expect(try await service.request("GET", "/cameras").items().isEmpty)
    }
}
