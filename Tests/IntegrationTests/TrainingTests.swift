import Base
import Foundation
import Recognition
import Storage
import Testing
import TestSupport
import Training

@Suite(.serialized) struct TrainingTests {
    @Test func fromUploadToTheRightAnswerAndBack() async throws {
        try await TrainingBench.withTraining { service in
            let first = try await TrainingBench.begin(service, Pictures.files(count: 12))
            #expect(first.status == 202, "\(first.text)")
            let record = try await TrainingBench.end(service, first)
            #expect(record["state"] as? String == "done", "\(record)")
            let result = try #require(record["result"] as? [String: any Sendable])
            #expect(result["accuracy"] as? Double == 1 && result["version"] as? String == "1")
            #expect(result["deployed"] as? Bool == false)
            let iterations = try #require(record["iterations"] as? [[String: any Sendable]])
            #expect(iterations.count > 2 && iterations.allSatisfy { $0["validation_accuracy"] is Double })
            let url = try #require(record["url"] as? String)

            // The version number works at once. The name works after deployment.
            let (red, blue) = (Pictures.disc(seed: 900), Pictures.stripes(seed: 901))
            #expect(try await TrainingBench.label(service, red, "shapes") == "404")
            #expect(try await TrainingBench.label(service, red, "shapes@1") == "disc")
            let unnamed = try await service.classify(red, query: "save=false&model=shapes", type: "image/bmp")
            #expect(unnamed.status == 404 && unnamed.text.contains("deploy one"), "\(unnamed.text)")
            #expect(try unnamed.object()["near"] as? [String] == ["shapes@1"])
            let deployed = try await service.request("PUT", url + "/deployment", body: []).object()
            #expect((deployed["result"] as? [String: any Sendable])?["deployed"] as? Bool == true)
            #expect(try await TrainingBench.label(service, red, "shapes") == "disc")
            #expect(try await TrainingBench.label(service, blue, "shapes") == "stripes")
            let infer = try await service.request("GET", "/v2/models/shapes")
            #expect(infer.status == 200 && infer.text.contains("\"classes\""), "\(infer.text)")

            // A version with swapped labels is deployed and withdrawn.
            let turned = Pictures.turned(Pictures.files(count: 12))
            let second = try await TrainingBench.end(
                service, TrainingBench.begin(service, turned, query: "name=shapes&deploy=true"))
            #expect((second["result"] as? [String: any Sendable])?["version"] as? String == "2", "\(second)")
            #expect(try await TrainingBench.label(service, red, "shapes") == "stripes")
            let secondURL = try #require(second["url"] as? String)
            let refused = try await service.request("DELETE", secondURL)
            #expect(refused.status == 409 && refused.text.contains("deployment"), "\(refused.text)")
            #expect(try await service.request("DELETE", secondURL + "/deployment").status == 200)
            #expect(try await TrainingBench.label(service, red, "shapes") == "disc")
            #expect(try await service.request("DELETE", secondURL + "/deployment").status == 409)
            #expect(try await service.request("DELETE", secondURL).status == 204)
            #expect(try await service.request("GET", secondURL).status == 404)
            #expect(try await TrainingBench.label(service, red, "shapes@2") == "404")
            #expect(try await service.request("DELETE", url + "/deployment").status == 200)
            #expect(try await TrainingBench.label(service, red, "shapes") == "404")
            #expect(try await TrainingBench.label(service, red, "shapes@1") == "disc")

            let report = try await service.request("GET", url + "/report")
            #expect(try report.object()["held_out_photos"] as? Int ?? 0 > 1, "\(report.text.prefix(400))")
            let text = try await service.request("GET", url + "/report", headers: [("Accept", "text/markdown")])
            #expect(text.text.hasPrefix("# shapes"))
            for picture in ["confusion", "curve"] {
                let svg = try await service.request("GET", "\(url)/\(picture)")
                #expect(svg.headers["content-type"] == "image/svg+xml" && svg.text.hasPrefix("<svg"))
                #expect(svg.headers["x-content-type-options"] == "nosniff")
                #expect(svg.headers["content-security-policy"]?.hasPrefix("default-src 'none'; ") == true)
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
            try await TrainingBench.withTraining { service in
                let record = try await TrainingBench.end(
                    service,
                    TrainingBench.begin(
                        service, Pictures.files(count: 10, noise: 90), query: "name=same&augment=none&seed=\(seed)"))
                let result = try #require(record["result"] as? [String: any Sendable], "\(record)")
                sums.append(try #require(result["sha256"] as? String))
            }
        }
        #expect(sums[0] == sums[1] && sums[0] != sums[2])
    }

    @Test func twoPhotosAClassAreEnoughForAModestClassifier() async throws {
        try await TrainingBench.withTraining { service in
            let record = try await TrainingBench.end(
                service, TrainingBench.begin(service, Pictures.files(count: 2), query: "name=few"))
            let result = try #require(record["result"] as? [String: any Sendable], "\(record)")
            #expect(result["method"] as? String == "prototypes")
            let warnings = try #require(result["warnings"] as? [[String: any Sendable]])
            #expect(warnings.count == 1 && warnings[0]["code"] as? String == "few-photos")
            #expect(warnings[0]["count"] as? Int == 2)
            #expect((warnings[0]["detail"] as? String)?.contains("only 2 photos") == true)
            #expect(try await TrainingBench.label(service, Pictures.disc(seed: 77), "few@1") == "disc")
            #expect(try await TrainingBench.label(service, Pictures.stripes(seed: 78), "few@1") == "stripes")
        }
    }

    @Test func whatCannotBeUsedIsNamed() async throws {
        try await TrainingBench.withTraining { service in
            var files = Pictures.files(count: 6)
            let twice = Pictures.disc(seed: 500)
            files += [
                ("disc/twice.bmp", twice), ("stripes/twice.bmp", twice), ("disc/again.bmp", files[0].1),
                ("disc/broken.jpg", Array("no photo".utf8)), ("loose.bmp", twice), ("../out.bmp", twice),
                ("disc/../up.bmp", twice), (String(repeating: "l", count: 300) + "/1.bmp", twice),
                ("__MACOSX/disc/1.bmp", twice), ("disc/.DS_Store", [1]),
            ]
            let record = try await TrainingBench.end(service, TrainingBench.begin(service, files, query: "name=named"))
            #expect(record["state"] as? String == "done", "\(record)")
            let skipped = try #require(record["skipped"] as? [[String: any Sendable]])
            let reasons = Dictionary(
                skipped.map { ($0["file"] as? String ?? "", $0["why"] as? String ?? "") }, uniquingKeysWith: { $1 })
            #expect(reasons["disc/twice.bmp"]?.contains("also in “stripes”") == true, "\(reasons)")
            #expect(reasons["stripes/twice.bmp"]?.contains("also in “disc”") == true)
            #expect(reasons["disc/again.bmp"]?.contains("same photo as disc/0.bmp") == true)
            #expect(reasons["disc/broken.jpg"] != nil && reasons["loose.bmp"]?.contains("not in a folder") == true)
            #expect(reasons["../out.bmp"]?.contains("leads out") == true && reasons["disc/../up.bmp"] != nil)
            #expect(reasons.keys.contains { $0.hasPrefix("llll") } && reasons.count == 8, "\(reasons)")
            func member(_ file: String) -> [String: any Sendable] {
                skipped.first { ($0["file"] as? String)?.hasPrefix(file) == true } ?? [:]
            }
            #expect(member("disc/twice.bmp")["code"] as? String == "several-classes")
            #expect(member("disc/twice.bmp")["classes"] as? [String] == ["stripes"])
            #expect(member("disc/again.bmp")["same_as"] as? String == "disc/0.bmp")
            #expect(member("disc/broken.jpg")["code"] as? String == "no-photo")
            #expect(member("llll")["code"] as? String == "long-class-name" && member("llll")["limit"] as? Int == 200)
        }
    }

    @Test func whereNothingIsLeftEachFileIsNamed() async throws {
        try await TrainingBench.withTraining { service in
            let files = ["a/1.jpg", "a/2.jpg", "b/1.jpg", "b/2.jpg"].map { ($0, Array("no photo: \($0)".utf8)) }
            let record = try await TrainingBench.end(service, TrainingBench.begin(service, files, query: "name=broken"))
            #expect(record["state"] as? String == "failed", "\(record)")
            #expect((record["problem"] as? [String: any Sendable])?["code"] as? String == "no-photos", "\(record)")
            let skipped = try #require(record["skipped"] as? [[String: any Sendable]])
            #expect(skipped.map { $0["file"] as? String } == files.map(\.0), "\(record)")
            #expect(skipped.allSatisfy { $0["code"] as? String == "no-photo" }, "\(record)")
        }
    }

    @Test func labelsMayBeAnyWords() async throws {
        try await TrainingBench.withTraining { service in
            let files = Pictures.files(count: 6).map { name, bytes in
                (name.replacing("disc", with: "🍎 Äpfel, rot").replacing("stripes", with: "zoo/Zebra \"1\""), bytes)
            }
            let record = try await TrainingBench.end(service, TrainingBench.begin(service, files, query: "name=words"))
            #expect(record["state"] as? String == "done", "\(record)")
            let answer = try await service.classify(
                Pictures.disc(seed: 71), query: "save=false&model=words@1", type: "image/bmp")
            #expect(answer.text.contains("🍎 Äpfel, rot"), "\(answer.text)")
        }
    }

    @Test func whatVersionsWithoutCodesWroteIsRead() throws {
        let failure = try JSONDecoder().decode([TrainingFailure].self, from: Data(#"["The disk is full."]"#.utf8))
        #expect(failure[0].code == .other && failure[0].detail == "The disk is full.")
        let skipped = try JSONDecoder().decode(SkippedFile.self, from: Data(#"{"file": "a", "why": "b"}"#.utf8))
        #expect(skipped.file == "a" && skipped.reason.why == "b" && skipped.reason.code == nil)
    }

    @Test func whatNothingCanBeLearntFromIsRefused() async throws {
        var limits = TrainingLimits()
        (limits.photos, limits.classes, limits.totalBytes) = (200, 20, 30_000_000)
        try await TrainingBench.withTraining(limits: limits) { service in
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
                ("base", good, "name=refused&base=nosuch", 404, "nosuch"),
                (
                    "unusable class", one + [("a\tb/1.bmp", Pictures.stripes(seed: 1))], "name=refused", 422,
                    "The first is “a"
                ),
                ("parameter", good, "name=refused&epochs=3", 400, "epochs"),
            ]
            for (what, files, query, status, text) in cases {
                let answer = try await TrainingBench.begin(service, files, query: query)
                #expect(answer.status == status && answer.text.contains(text), "\(what): \(answer.text)")
                #expect(answer.headers["content-type"] == "application/problem+json")
            }
            let alone = try await TrainingBench.begin(service, one, query: "name=refused")
            #expect(alone.text.contains(#""classes":["disc"],"code":"one-class""#), "\(alone.text)")
            let taken = try await TrainingBench.begin(service, good, query: "name=menagerie")
            #expect(taken.text.contains(#""code":"taken-name","model":"menagerie""#), "\(taken.text)")
            let noArchive = try await service.request(
                "POST", "/training?name=x", headers: [("Content-Type", "application/zip")], body: [1, 2, 3])
            #expect(noArchive.status == 400 && noArchive.text.contains("not a ZIP archive"), "\(noArchive.text)")
            let noTAR = try await service.request(
                "POST", "/training?name=x", headers: [("Content-Type", "application/x-tar")],
                body: [UInt8](repeating: 7, count: 2_000))
            #expect(noTAR.status == 400, "\(noTAR.text)")
            let type = try await service.request(
                "POST", "/training?name=x", headers: [("Content-Type", "text/plain")], body: [1])
            #expect(type.status == 415)
            // The archive states a content of 60 MB.
            let bomb = (0..<60).map { ("c\($0 % 2)/\($0).bmp", [UInt8](repeating: 0, count: 1_000_000)) }
            let packed = try await TrainingBench.begin(service, bomb)
            #expect(packed.status == 422 && packed.text.contains("30000000 bytes"), "\(packed.text)")

            let broken = try await TrainingBench.end(
                service,
                TrainingBench.begin(
                    service, good.map { ($0.0, Array("not a photo \($0.0)".utf8)) }, query: "name=refused"))
            #expect(broken["state"] as? String == "failed" && broken["result"] == nil)
            let problem = try #require(broken["problem"] as? [String: any Sendable], "\(broken)")
            #expect(problem["code"] as? String == "no-photos" && problem["count"] as? Int == 6)
            #expect((problem["detail"] as? String)?.contains("None of the 6 files") == true)
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

    @Test func aClassMayHaveTheNameOfAField() async throws {
        try await TrainingBench.withTraining { service in
            let parts = Pictures.files(count: 4).map { name, bytes in
                let head =
                    name.hasPrefix("disc")
                    ? "name=\"photos\"; filename=\"x.BMP\""
                    : "name=\"archive\"; filename=\"blob\"\r\nContent-Type: image/bmp"
                return Array("--b\r\nContent-Disposition: form-data; \(head)\r\n\r\n".utf8) + bytes + Array("\r\n".utf8)
            }
            let answer = try await service.request(
                "POST", "/training?name=awkward", headers: [("Content-Type", "multipart/form-data; boundary=b")],
                body: parts.flatMap(\.self) + Array("--b--\r\n".utf8))
            #expect(answer.status == 202, "\(answer.text)")
            #expect(try await TrainingBench.end(service, answer)["state"] as? String == "done")
            #expect(try await TrainingBench.label(service, Pictures.disc(seed: 3), "awkward@1") == "photos")
        }
    }

    @Test func `a mistake whose photo is gone has no picture, and the others keep theirs`() async throws {
        let folder = try TemporaryFolder()
        for name in ["disc", "stripes"] { try FileSystem.makeDirectory(folder.path + "/photos/" + name) }
        for (name, bytes) in Pictures.files(count: 8) { try folder.write(bytes, "photos/" + name) }
        for seed in 100..<102 { try folder.write(Pictures.disc(seed: seed), "photos/stripes/\(seed).bmp") }
        try await TrainingBench.withTraining(folderRoot: folder.path) { service in
            func train() async throws -> (url: String, mistakes: [String]) {
                let request = #"{"source":"folder","folder":"photos","name":"mistaken","method":"prototypes"}"#
                let begun = try await service.request(
                    "POST", "/training", headers: [("Content-Type", "application/json")], body: Array(request.utf8))
                let record = try await TrainingBench.end(service, begun)
                let result = try #require(record["result"] as? [String: any Sendable], "\(record)")
                let mistakes = try #require(result["errors"] as? [[String: any Sendable]])
                return (try #require(record["url"] as? String), mistakes.compactMap { $0["file"] as? String })
            }
            let whole = try await train()
            try #require(whole.mistakes.count > 1, "\(whole)")
            let gone = "\(folder.path)/photos/\(whole.mistakes[0])"
            service.training?.observe { event in
                if case .changed(let record) = event, record.state == .fitting { FileSystem.remove(gone) }
            }
            let lacking = try await train()
            #expect(lacking.mistakes == whole.mistakes)
            #expect(try await service.request("GET", lacking.url + "/errors/0").status == 404)
            for number in 1..<whole.mistakes.count {
                let pictures = [
                    try await service.request("GET", whole.url + "/errors/\(number)"),
                    try await service.request("GET", lacking.url + "/errors/\(number)"),
                ]
                #expect(pictures.allSatisfy { $0.status == 200 } && pictures[0].body == pictures[1].body)
            }
        }
    }

    @Test func formsFoldersAndTARsDoAsWell() async throws {
        let folder = try TemporaryFolder()
        for (name, bytes) in Pictures.files(count: 4) {
            try FileManager.default.createDirectory(
                atPath: folder.path + "/photos/" + name.prefix { $0 != "/" }, withIntermediateDirectories: true)
            try folder.write(bytes, "photos/" + name)
        }
        try await TrainingBench.withTraining(folderRoot: folder.path) { service in
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
            #expect(try await TrainingBench.end(service, answer)["state"] as? String == "done")
            #expect(try await TrainingBench.label(service, Pictures.disc(seed: 3), "byform@1") == "disc")

            func json(_ text: String) async throws -> RawResponse {
                try await service.request(
                    "POST", "/training", headers: [("Content-Type", "application/json")], body: Array(text.utf8))
            }
            let local = try await json(#"{"source":"folder","folder":"photos","name":"byfolder","augment":["mirror"]}"#)
            #expect(try await TrainingBench.end(service, local)["state"] as? String == "done", "\(local.text)")
            #expect(try await json(#"{"source":"folder","folder":"/etc","name":"x"}"#).status == 422)
            #expect(try await json(#"{"source":"folder","folder":"../..","name":"x"}"#).status == 422)
            #expect(try await json(#"{"source":"moon","name":"x"}"#).status == 400)
            let empty = try await json(#"{"source":"corrections","name":"x"}"#)
            #expect(empty.status == 422 && empty.text.contains("no photos"), "\(empty.text)")
            #expect(empty.text.contains("PATCH /history"), "\(empty.text)")
            // That it is a cat names no class.
            let scan = try #require(
                try await service.request(
                    "POST", "/classify", headers: [("Content-Type", "image/bmp")], body: Pictures.disc(seed: 3)
                ).object()["id"] as? String)
            let kind = Array(#"{"corrected_label":"cat"}"#.utf8)
            #expect(try await service.request("PATCH", "/history/\(scan)", body: kind).status == 200)
            let none = try await json(#"{"source":"corrections","name":"x"}"#)
            #expect(none.status == 422 && none.text.contains("only which kind of animal"), "\(none.text)")

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
            #expect(try await TrainingBench.end(service, sent)["state"] as? String == "done", "\(sent.text)")
            let list = try await service.request("GET", "/training?limit=2").object()
            #expect(list["total"] as? Int == 3 && list["next_cursor"] is String)
        }
    }

    @Test func `a training that an earlier release kept in a file goes on`() async throws {
        let folder = try TemporaryFolder()
        let pictures = Pictures.files(count: 6)
        var rows: [JobRow] = []
        try await TrainingBench.withTraining(directory: folder.path) { service in
            let begun = try await TrainingBench.begin(service, pictures, query: "name=kept")
            _ = try await TrainingBench.end(service, begun)
            rows = try await service.history.scans.allJobs("training")
        }
        let old = try #require(rows.first)
        #expect(old.document.contains(#""state":"done""#), "\(old.document.prefix(200))")
        let damaged = ULID.next()
        for (id, document) in [
            (old.id, old.document.replacing(#""state":"done""#, with: #""state":"looking""#)), (damaged, "{"),
        ] {
            let place = URL(filePath: "\(folder.path)/\(id)")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            try Data(document.utf8).write(to: place.appending(path: "training.json"))
            try Data(Pictures.zip(pictures)).write(to: place.appending(path: "photos.zip"))
        }
        // The history of this one is empty.
        try await TrainingBench.withTraining(directory: folder.path) { service in
            var state: String?
            while state != "done" {
                let record = try await service.request("GET", "/training/\(old.id)").object()
                state = record["state"] as? String
                try #require(state != nil && state != "failed", "\(record)")
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        let kept = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(kept) == ["features", "\(damaged)"], "photos of one that is over go, a damaged file stays")
    }

    /// A running training and a waiting one are cancelled. The ones after them run.
    @Test func trainingsWaitForEachOtherAndCanBeCancelled() async throws {
        try await TrainingBench.withTraining { service in
            let running = try await TrainingBench.begin(service, Pictures.files(count: 40), query: "name=a")
            let waiting = try await TrainingBench.begin(service, Pictures.files(count: 3), query: "name=b")
            let last = try await TrainingBench.begin(service, Pictures.files(count: 3), query: "name=c")
            let waitingURL = try #require(waiting.headers["location"])
            #expect(try await service.request("DELETE", waitingURL).status == 204)
            #expect(try await service.request("GET", waitingURL).object()["state"] as? String == "cancelled")
            let runningURL = try #require(running.headers["location"])
            #expect(try await service.request("DELETE", runningURL).status == 204)
            #expect(try await service.request("GET", runningURL).object()["state"] as? String == "cancelled")
            #expect(try await TrainingBench.end(service, last)["state"] as? String == "done")
            #expect(try await service.request("GET", "/models/a").status == 404)
        }
    }

    @Test func aTrainingThatIsBeingSavedIsCancelledOrSaidToBeDone() async throws {
        try await TrainingBench.withTraining { service in
            let begun = try await TrainingBench.begin(service, Pictures.files(count: 6), query: "name=late&deploy=true")
            let url = try #require(begun.headers["location"])
            let state = { try await service.request("GET", url).object()["state"] as? String }
            try await eventually { try await ["saving", "done"].contains(state()) }
            let status = try await service.request("DELETE", url).status
            let end = try await state()
            #expect(end == [204: "cancelled", 409: "done"][status], "\(status)")
        }
    }

    /// A new version is deployed under load. Every request gets an answer of one version or the other.
    @Test func deployingUnderLoadFailsNoRequest() async throws {
        try await TrainingBench.withTraining { service in
            var urls: [String] = []
            for _ in 0..<2 {
                let record = try await TrainingBench.end(
                    service, TrainingBench.begin(service, Pictures.files(count: 6), query: "name=loaded"))
                urls.append(try #require(record["url"] as? String))
            }
            _ = try await service.request("PUT", urls[0] + "/deployment", body: [])
            let isOver = Locked(false)
            let photo = Pictures.disc(seed: 42)
            let clients = (0..<4).map { _ in
                Task {
                    var answers: [String] = []
                    while !isOver.withLock({ $0 }) {
                        answers.append(try await TrainingBench.label(service, photo, "loaded"))
                    }
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
