import Archives
import Base
import Foundation
import History
import Recognition
import TestSupport
import Testing
import Training

/// `/training` from upload to the right answer, and everything that can be wrong with what comes.
@Suite(.serialized) struct TrainingTests {
    /// Loading the embedded model takes longest, so that all tests share one, and each names its models for itself.
    private static let shared = Result { () throws -> (folder: TemporaryFolder, recogniser: Recogniser) in
        let folder = try TemporaryFolder()
        var options = RecogniserOptions(
            modelsDirectory: LiveService.package.appending(path: "Models").path, cores: 2)
        options.trainedModelsDirectory = folder.path + "/models"
        options.engine.cacheDirectory = folder.path + "/compiled"
        return (folder, try Recogniser(options: options))
    }

    /// A service that can train, with trainings of its own.
    private func withTraining(
        limits: TrainingLimits = TrainingLimits(), folderRoot: String? = nil,
        _ body: (LiveService) async throws -> Void
    ) async throws {
        let (models, recogniser) = try Self.shared.get()
        let folder = try TemporaryFolder()
        let service = try await LiveService(
            backend: .memory, recogniser: recogniser,
            training: TrainingService.Configuration(
                directory: folder.path + "/training", models: models.path + "/models", limits: limits,
                folderRoot: folderRoot))
        do {
            try await body(service)
        } catch {
            try? await service.stop()
            throw error
        }
        try await service.stop()
    }

    private func begin(
        _ service: LiveService, _ files: [(String, [UInt8])], query: String = "name=shapes"
    ) async throws -> RawResponse {
        try await service.request(
            "POST", "/training?\(query)", headers: [("Content-Type", "application/zip")], body: Pictures.zip(files))
    }

    /// The training once it is over.
    private func end(_ service: LiveService, _ answer: RawResponse) async throws -> [String: any Sendable] {
        let url = try #require(answer.headers["location"], "\(answer.text)")
        while true {
            let record = try await service.request("GET", url).object()
            let state = record["state"] as? String ?? ""
            if ["done", "failed", "cancelled"].contains(state) { return record }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    private func label(_ service: LiveService, _ photo: [UInt8], _ model: String) async throws -> String {
        let answer = try await service.classify(photo, query: "save=false&model=\(model)", type: "image/bmp")
        guard answer.status == 200 else { return "\(answer.status)" }
        return (try answer.predictions().first?.split(separator: " ").first).map(String.init) ?? "none"
    }

    @Test func fromUploadToTheRightAnswerAndBack() async throws {
        try await withTraining { service in
            let first = try await begin(service, Pictures.files(count: 12))
            #expect(first.status == 202, "\(first.text)")
            let record = try await end(service, first)
            #expect(record["state"] as? String == "done", "\(record)")
            let result = try #require(record["result"] as? [String: any Sendable])
            #expect(result["accuracy"] as? Double == 1 && result["version"] as? String == "1")
            #expect(result["deployed"] as? Bool == false)
            let iterations = try #require(record["iterations"] as? [[String: any Sendable]])
            #expect(iterations.count > 2 && iterations.allSatisfy { $0["validation_accuracy"] is Double })
            let url = try #require(record["url"] as? String)

            // By its number at once, by its name once it is deployed.
            let (red, blue) = (Pictures.disc(seed: 900), Pictures.stripes(seed: 901))
            #expect(try await label(service, red, "shapes") == "404")
            #expect(try await label(service, red, "shapes@1") == "disc")
            #expect(try await label(service, red, "shapes") == "404")
            let deployed = try await service.request("PUT", url + "/deployment", body: []).object()
            #expect((deployed["result"] as? [String: any Sendable])?["deployed"] as? Bool == true)
            #expect(try await label(service, red, "shapes") == "disc")
            #expect(try await label(service, blue, "shapes") == "stripes")
            let infer = try await service.request("GET", "/v2/models/shapes")
            #expect(infer.status == 200 && infer.text.contains("\"classes\""), "\(infer.text)")

            // The labels the wrong way round are another version, which is taken back.
            let turned = Pictures.files(count: 12).map { name, bytes in
                (name.hasPrefix("disc") ? "stripes" + name.dropFirst(4) : "disc" + name.dropFirst(7), bytes)
            }
            let second = try await end(service, begin(service, turned, query: "name=shapes&deploy=true"))
            #expect((second["result"] as? [String: any Sendable])?["version"] as? String == "2", "\(second)")
            #expect(try await label(service, red, "shapes") == "stripes")
            let secondURL = try #require(second["url"] as? String)
            let refused = try await service.request("DELETE", secondURL)
            #expect(refused.status == 409 && refused.text.contains("deployment"), "\(refused.text)")
            #expect(try await service.request("DELETE", secondURL + "/deployment").status == 200)
            #expect(try await label(service, red, "shapes") == "disc")
            #expect(try await service.request("DELETE", secondURL + "/deployment").status == 409)
            #expect(try await service.request("DELETE", secondURL).status == 204)
            #expect(try await service.request("GET", secondURL).status == 404)
            #expect(try await label(service, red, "shapes@2") == "404")
            #expect(try await service.request("DELETE", url + "/deployment").status == 200)
            #expect(try await label(service, red, "shapes") == "404")
            #expect(try await label(service, red, "shapes@1") == "disc")

            let report = try await service.request("GET", url + "/report")
            #expect(try report.object()["held_out_photos"] as? Int ?? 0 > 1, "\(report.text.prefix(400))")
            let text = try await service.request("GET", url + "/report", headers: [("Accept", "text/markdown")])
            #expect(text.text.hasPrefix("# shapes"))
            for picture in ["confusion", "curve"] {
                let svg = try await service.request("GET", "\(url)/\(picture)")
                #expect(svg.headers["content-type"] == "image/svg+xml" && svg.text.hasPrefix("<svg"))
            }
            let events = try await service.request("GET", url + "/events")
            let blocks = events.text.components(separatedBy: "\n\n").filter { $0.contains("event: ") }
            #expect(blocks.count { $0.contains("event: iteration") } == iterations.count, "\(events.text)")
            #expect(blocks.last?.contains("event: done") == true)
            let id = try #require(blocks[blocks.count - 2].split(separator: "\n").first?.dropFirst(4))
            let resumed = try await service.request("GET", url + "/events", headers: [("Last-Event-ID", String(id))])
            #expect(resumed.text.components(separatedBy: "event: ").count == 2, "\(resumed.text)")
        }
    }

    @Test func theSamePhotosAndSeedGiveTheSameBits() async throws {
        var sums: [String] = []
        for seed in [5, 5, 6] as [Int] {
            try await withTraining { service in
                let record = try await end(
                    service,
                    begin(service, Pictures.files(count: 10, noise: 90), query: "name=same&augment=none&seed=\(seed)"))
                let result = try #require(record["result"] as? [String: any Sendable], "\(record)")
                sums.append(try #require(result["sha256"] as? String))
            }
        }
        #expect(sums[0] == sums[1] && sums[0] != sums[2])
    }

    @Test func twoPhotosAClassAreEnoughForAModestClassifier() async throws {
        try await withTraining { service in
            let record = try await end(service, begin(service, Pictures.files(count: 2), query: "name=few"))
            let result = try #require(record["result"] as? [String: any Sendable], "\(record)")
            #expect(result["method"] as? String == "prototypes")
            let warnings = try #require(result["warnings"] as? [String])
            #expect(warnings.first?.contains("only 2 photos") == true)
            #expect(try await label(service, Pictures.disc(seed: 77), "few@1") == "disc")
            #expect(try await label(service, Pictures.stripes(seed: 78), "few@1") == "stripes")
        }
    }

    @Test func whatCannotBeUsedIsNamed() async throws {
        try await withTraining { service in
            var files = Pictures.files(count: 6)
            let twice = Pictures.disc(seed: 500)
            files += [
                ("disc/twice.bmp", twice), ("stripes/twice.bmp", twice), ("disc/again.bmp", files[0].1),
                ("disc/broken.jpg", Array("no photo".utf8)), ("loose.bmp", twice), ("../out.bmp", twice),
                ("disc/../up.bmp", twice), (String(repeating: "l", count: 300) + "/1.bmp", twice),
                ("__MACOSX/disc/1.bmp", twice), ("disc/.DS_Store", [1]),
            ]
            let record = try await end(service, begin(service, files, query: "name=named"))
            #expect(record["state"] as? String == "done", "\(record)")
            let skipped = try #require(record["skipped"] as? [[String: any Sendable]])
            let reasons = Dictionary(
                skipped.map { ($0["file"] as? String ?? "", $0["why"] as? String ?? "") }, uniquingKeysWith: { $1 })
            #expect(reasons["disc/twice.bmp"]?.contains("also in “stripes”") == true, "\(reasons)")
            #expect(reasons["stripes/twice.bmp"]?.contains("also in “disc”") == true)
            #expect(reasons["disc/again.bmp"]?.contains("same photo as disc/0.bmp") == true)
            #expect(reasons["disc/broken.jpg"] != nil && reasons["loose.bmp"]?.contains("no folder") == true)
            #expect(reasons["../out.bmp"]?.contains("leads out") == true && reasons["disc/../up.bmp"] != nil)
            #expect(reasons.keys.contains { $0.hasPrefix("llll") } && reasons.count == 8, "\(reasons)")
        }
    }

    @Test func labelsMayBeAnyWords() async throws {
        try await withTraining { service in
            let files = Pictures.files(count: 6).map { name, bytes in
                (name.replacing("disc", with: "🍎 Äpfel, rot").replacing("stripes", with: "zoo/Zebra \"1\""), bytes)
            }
            let record = try await end(service, begin(service, files, query: "name=words"))
            #expect(record["state"] as? String == "done", "\(record)")
            let answer = try await service.classify(
                Pictures.disc(seed: 71), query: "save=false&model=words@1", type: "image/bmp")
            #expect(answer.text.contains("🍎 Äpfel, rot"), "\(answer.text)")
        }
    }

    @Test func whatNothingCanBeLearntFromIsRefused() async throws {
        try await withTraining(limits: TrainingLimits(photos: 200, classes: 20, totalBytes: 30_000_000)) { service in
            let good = Pictures.files(count: 3)
            let one = good.filter { $0.0.hasPrefix("disc") }
            let many = (0..<25).flatMap { index in (0..<2).map { ("c\(index)/\($0).bmp", Pictures.disc(seed: $0)) } }
            let cases: [(String, [(String, [UInt8])], String, Int, String)] = [
                ("empty", [], "name=refused", 422, "no photos"),
                ("one class", one, "name=refused", 422, "of one class, “disc”"),
                ("one photo", one + [("stripes/1.bmp", Pictures.stripes(seed: 1))], "name=refused", 422, "“stripes”"),
                ("classes", many, "name=refused", 422, "25 classes"),
                (
                    "photos", (0..<210).map { ("c\($0 % 2)/\($0).bmp", [UInt8(0)]) }, "name=refused", 422,
                    "at most 200"
                ),
                ("embedded", good, "name=menagerie", 409, "not trained here"),
                ("name", good, "name=My%20Fruits", 422, "a–z"), ("no name", good, "seed=1", 400, "“name” is missing"),
                ("share", good, "name=refused&validation=0.9", 400, "validation"),
                ("augment", good, "name=refused&augment=spin", 400, "mirror"),
                ("parameter", good, "name=refused&epochs=3", 400, "epochs"),
            ]
            for (what, files, query, status, text) in cases {
                let answer = try await begin(service, files, query: query)
                #expect(answer.status == status && answer.text.contains(text), "\(what): \(answer.text)")
                #expect(answer.headers["content-type"] == "application/problem+json")
            }
            let noArchive = try await service.request(
                "POST", "/training?name=x", headers: [("Content-Type", "application/zip")], body: [1, 2, 3])
            #expect(noArchive.status == 400 && noArchive.text.contains("no ZIP"), "\(noArchive.text)")
            let noTAR = try await service.request(
                "POST", "/training?name=x", headers: [("Content-Type", "application/x-tar")],
                body: [UInt8](repeating: 7, count: 2_000))
            #expect(noTAR.status == 400, "\(noTAR.text)")
            let type = try await service.request(
                "POST", "/training?name=x", headers: [("Content-Type", "text/plain")], body: [1])
            #expect(type.status == 415)
            // An archive that says it holds 60 MB.
            let bomb = (0..<60).map { ("c\($0 % 2)/\($0).bmp", [UInt8](repeating: 0, count: 1_000_000)) }
            let packed = try await begin(service, bomb)
            #expect(packed.status == 422 && packed.text.contains("30000000 bytes"), "\(packed.text)")

            let broken = try await end(
                service,
                begin(
                    service, good.map { ($0.0, Array("not a photo \($0.0)".utf8)) }, query: "name=refused"))
            #expect(broken["state"] as? String == "failed" && broken["result"] == nil)
            #expect((broken["problem"] as? String)?.contains("None of the 6 files") == true, "\(broken)")
            let url = try #require(broken["url"] as? String)
            let deployment = try await service.request("PUT", url + "/deployment", body: [])
            #expect(deployment.status == 409 && deployment.text.contains("failed"), "\(deployment.text)")
            #expect(try await service.request("GET", url + "/report").status == 404)
            for path in ["/training/none", "/training/01M8256J347PJ60AP1TYTV89F5"] {
                #expect(try await service.request("GET", path).status == 404)
            }
            #expect(try await service.request("GET", "/models/refused").status == 404)
        }
    }

    @Test func formsFoldersAndTARsDoAsWell() async throws {
        let folder = try TemporaryFolder()
        for (name, bytes) in Pictures.files(count: 4) {
            try FileManager.default.createDirectory(
                atPath: folder.path + "/photos/" + name.prefix { $0 != "/" }, withIntermediateDirectories: true)
            try folder.write(bytes, "photos/" + name)
        }
        try await withTraining(folderRoot: folder.path) { service in
            var form = ""
            var body: [UInt8] = []
            func part(_ head: String, _ bytes: [UInt8]) {
                form = "--b\r\nContent-Disposition: form-data; \(head)\r\n\r\n"
                body += Array(form.utf8) + bytes + Array("\r\n".utf8)
            }
            part("name=\"name\"", Array("byform".utf8))
            for (name, bytes) in Pictures.files(count: 4) {
                part("name=\"\(name.prefix { $0 != "/" })\"; filename=\"x.bmp\"", bytes)
            }
            body += Array("--b--\r\n".utf8)
            let answer = try await service.request(
                "POST", "/training", headers: [("Content-Type", "multipart/form-data; boundary=b")], body: body)
            #expect(try await end(service, answer)["state"] as? String == "done")
            #expect(try await label(service, Pictures.disc(seed: 3), "byform@1") == "disc")

            func json(_ text: String) async throws -> RawResponse {
                try await service.request(
                    "POST", "/training", headers: [("Content-Type", "application/json")], body: Array(text.utf8))
            }
            let local = try await json(#"{"source":"folder","folder":"photos","name":"byfolder","augment":["mirror"]}"#)
            #expect(try await end(service, local)["state"] as? String == "done", "\(local.text)")
            #expect(try await json(#"{"source":"folder","folder":"/etc","name":"x"}"#).status == 422)
            #expect(try await json(#"{"source":"folder","folder":"../..","name":"x"}"#).status == 422)
            #expect(try await json(#"{"source":"moon","name":"x"}"#).status == 400)
            let none = try await json(#"{"source":"corrections","name":"x"}"#)
            #expect(none.status == 422 && none.text.contains("no photos"), "\(none.text)")

            let path = folder.path
            let tar = try await onThread {
                let process = Process()
                process.executableURL = URL(filePath: "/bin/tar")
                process.arguments = ["--create", "--directory", path + "/photos", "."]
                let output = Pipe()
                process.standardOutput = output
                try process.run()
                let bytes = output.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                return Array(bytes)
            }
            let sent = try await service.request(
                "POST", "/training?name=bytar", headers: [("Content-Type", "application/x-tar")], body: tar)
            #expect(try await end(service, sent)["state"] as? String == "done", "\(sent.text)")
            let list = try await service.request("GET", "/training?limit=2").object()
            #expect(list["total"] as? Int == 3 && list["next_cursor"] is String)
        }
    }

    /// A training that is under way is cancelled; one that waits, too; what comes after them runs.
    @Test func trainingsWaitForEachOtherAndCanBeCancelled() async throws {
        try await withTraining { service in
            let running = try await begin(service, Pictures.files(count: 40), query: "name=a")
            let waiting = try await begin(service, Pictures.files(count: 3), query: "name=b")
            let last = try await begin(service, Pictures.files(count: 3), query: "name=c")
            let waitingURL = try #require(waiting.headers["location"])
            #expect(try await service.request("DELETE", waitingURL).status == 204)
            #expect(try await service.request("GET", waitingURL).object()["state"] as? String == "cancelled")
            let runningURL = try #require(running.headers["location"])
            #expect(try await service.request("DELETE", runningURL).status == 204)
            #expect(try await service.request("GET", runningURL).object()["state"] as? String == "cancelled")
            #expect(try await end(service, last)["state"] as? String == "done")
            #expect(try await service.request("GET", "/models/a").status == 404)
        }
    }

    /// A swap under load: every request is answered, by one version or the other.
    @Test func deployingUnderLoadFailsNoRequest() async throws {
        try await withTraining { service in
            var urls: [String] = []
            for _ in 0..<2 {
                let record = try await end(service, begin(service, Pictures.files(count: 6), query: "name=loaded"))
                urls.append(try #require(record["url"] as? String))
            }
            _ = try await service.request("PUT", urls[0] + "/deployment", body: [])
            let isOver = Locked(false)
            let photo = Pictures.disc(seed: 42)
            let clients = (0..<4).map { _ in
                Task {
                    var answers: [String] = []
                    while !isOver.withLock({ $0 }) { answers.append(try await label(service, photo, "loaded")) }
                    return answers
                }
            }
            for _ in 0..<3 {
                #expect(try await service.request("PUT", urls[1] + "/deployment", body: []).status == 200)
                #expect(try await service.request("DELETE", urls[1] + "/deployment").status == 200)
            }
            isOver.withLock { $0 = true }
            var count = 0
            for client in clients {
                let answers = try await client.value
                count += answers.count
                #expect(answers.allSatisfy { $0 == "disc" }, "\(Set(answers))")
            }
            #expect(count > 20)
        }
    }
}

/// Pictures that are easily told apart, each a little different.
private enum Pictures {
    static func files(count: Int, noise: Int = 40) -> [(String, [UInt8])] {
        (0..<count).flatMap { index in
            [
                ("disc/\(index).bmp", disc(seed: index * 2, noise: noise)),
                ("stripes/\(index).bmp", stripes(seed: index * 2 + 1, noise: noise)),
            ]
        }
    }

    static func zip(_ files: [(String, [UInt8])]) -> [UInt8] {
        var writer = ZIPWriter()
        var bytes: [UInt8] = []
        for (name, contents) in files {
            bytes += writer.entry(name, contents, modified: Date(timeIntervalSince1970: 0))
        }
        return bytes + writer.finish()
    }

    static func disc(seed: Int, noise: Int = 40) -> [UInt8] {
        picture(seed, noise) { x, y, shift in
            let (dx, dy) = (x - 48 - shift, y - 48 + shift)
            return dx * dx + dy * dy < 30 * 30 ? (210, 40, 40) : (230, 230, 220)
        }
    }

    static func stripes(seed: Int, noise: Int = 40) -> [UInt8] {
        picture(seed, noise) { x, y, shift in (x + y + shift) / 12 % 2 == 0 ? (30, 60, 180) : (240, 240, 240) }
    }

    /// A bitmap of 96 × 96 pixels (BITMAPINFOHEADER, 24 bits, bottom up).
    private static func picture(
        _ seed: Int, _ noise: Int, _ colour: (Int, Int, Int) -> (Int, Int, Int)
    ) -> [UInt8] {
        let side = 96
        var state = UInt64(seed &* 7_919 &+ 12_345)
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let shift = random(25) - 12
        var pixels: [UInt8] = []
        for y in 0..<side {
            for x in 0..<side {
                let (red, green, blue) = colour(x, y, shift)
                for level in [blue, green, red] {
                    pixels.append(UInt8(min(max(level + random(noise) - noise / 2, 0), 255)))
                }
            }
        }
        func little(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 255) } }
        return Array("BM".utf8) + little(54 + pixels.count, 4) + little(0, 4) + little(54, 4) + little(40, 4)
            + little(side, 4) + little(side, 4) + little(1, 2) + little(24, 2) + little(0, 4)
            + little(pixels.count, 4) + little(2_835, 4) + little(2_835, 4) + little(0, 4) + little(0, 4) + pixels
    }
}
