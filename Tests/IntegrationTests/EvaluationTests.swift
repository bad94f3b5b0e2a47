import Foundation
import TestSupport
import Testing

/// `POST /evaluation`: measures one model or compares two, on photos that neither learnt from.
@Suite(.serialized) struct EvaluationTests {
    private typealias Object = [String: any Sendable]

    private func evaluate(
        _ service: LiveService, _ files: [(String, [UInt8])], _ query: String, accept: String = "application/json"
    ) async throws -> RawResponse {
        try await service.request(
            "POST", "/evaluation?\(query)", headers: [("Content-Type", "application/zip"), ("Accept", accept)],
            body: Pictures.zip(files))
    }

    /// Discs and stripes that no training in these tests uses.
    private func strangers(_ count: Int) -> [(String, [UInt8])] {
        (0..<count).flatMap { index in
            [
                ("disc/\(index).bmp", Pictures.disc(seed: 5_000 + index)),
                ("stripes/\(index).bmp", Pictures.stripes(seed: 6_000 + index)),
            ]
        }
    }

    @Test func twoVersionsAreComparedOnTheSamePhotos() async throws {
        try await TrainingBench.withTraining { service in
            let photos = Pictures.files(count: 12)
            for files in [Pictures.turned(photos), photos] {
                let record = try await TrainingBench.end(
                    service, TrainingBench.begin(service, files, query: "name=compared&deploy=true"))
                #expect(record["state"] as? String == "done", "\(record)")
            }
            let twice = Pictures.disc(seed: 7_000)
            let asked =
                strangers(10) + [
                    ("disc/broken.jpg", [1, 2, 3]), ("disc/a.bmp", twice), ("disc/b.bmp", twice), ("loose.bmp", twice),
                ]
            let answer = try await evaluate(service, asked, "model=compared@2&against=compared@1")
            #expect(answer.status == 200, "\(answer.text)")
            let evaluation = try answer.object()
            #expect(evaluation["photos"] as? Int == 21 && evaluation["skipped_count"] as? Int == 3, "\(evaluation)")
            let skipped = try #require(evaluation["skipped"] as? [Object])
            let reasons = Dictionary(
                skipped.map { ($0["file"] as? String ?? "", $0["why"] as? String ?? "") }, uniquingKeysWith: { $1 })
            #expect(reasons["disc/b.bmp"] == "it is the same photo as disc/a.bmp", "\(reasons)")
            #expect(reasons["disc/broken.jpg"] != nil && reasons["loose.bmp"] != nil)
            let models = try #require(evaluation["models"] as? [Object])
            #expect(models.map { $0["version"] as? String } == ["2", "1"])
            #expect(models.map { $0["right"] as? Int } == [21, 0] && models[0]["macro_f1"] as? Double == 1)
            let comparison = try #require(evaluation["comparison"] as? Object)
            #expect(comparison["only_model"] as? Int == 21 && comparison["only_against"] as? Int == 0)
            #expect(comparison["both_right"] as? Int == 0 && comparison["both_wrong"] as? Int == 0)
            #expect(comparison["difference"] as? Double == 1 && comparison["verdict"] as? String == "better")
            // 2 · ½²¹ by McNemar's test. The interval by Bonett and Price has 22/23 and 1/23.
            #expect(abs((comparison["probability"] as? Double ?? 1) - 0.000_001) < 1e-6, "\(comparison)")
            let interval = try #require(comparison["interval"] as? Object)
            #expect(abs((interval["lower"] as? Double ?? 0) - 0.746_358) < 1e-5, "\(interval)")
            #expect(interval["upper"] as? Double == 1)
            #expect((comparison["photos"] as? [Object])?.count == 21)
            let message = comparison["message"] as? String ?? ""
            #expect(message.hasPrefix("compared@2 is better than compared@1: +100.0 points"), "\(message)")

            // A bare name means the deployed version. With a single model there is no comparison.
            let alone = try await evaluate(service, strangers(4), "model=compared").object()
            #expect(alone["comparison"] is NSNull, "\(alone)")
            #expect((alone["models"] as? [Object])?.first?["version"] as? String == "2")

            let events = try await evaluate(
                service, strangers(4), "model=compared@1&against=compared@2", accept: "text/event-stream")
            #expect(events.headers["content-type"] == "text/event-stream", "\(events.text)")
            #expect(events.text.contains("event: progress") && events.text.contains(#""verdict":"worse""#))
        }
    }

    /// Both heads `presence` and `kinds` of the embedded model know cats.
    @Test func theHeadCanBeNamed() async throws {
        try await TrainingBench.withTraining { service in
            let cat = Array(try Data(contentsOf: LiveService.package.appending(path: "Tests/Photos/cat.jpg")))
            for head in ["presence", "kinds"] {
                let answer = try await evaluate(service, [("cat/1.jpg", cat)], "head=\(head)")
                let measured = try #require(answer.object()["models"] as? [Object], "\(answer.text)")
                #expect(measured.map { $0["head"] as? String } == [head], "\(answer.text)")
            }
            let record = try await TrainingBench.end(
                service, TrainingBench.begin(service, Pictures.files(count: 6), query: "name=headed&deploy=true"))
            #expect(record["state"] as? String == "done", "\(record)")
            // Names of folders are matched to classes without regard to case.
            let capital = strangers(2).map {
                (String($0.0.prefix { $0 != "/" }).uppercased() + $0.0.drop { $0 != "/" }, $0.1)
            }
            var right: [Int?] = []
            for files in [strangers(2), capital] {
                let answer = try await evaluate(service, files, "model=headed")
                let measured = try #require((answer.object()["models"] as? [Object])?.first, "\(answer.text)")
                #expect(measured["unknown_classes"] as? [String] == [], "\(answer.text)")
                right.append(measured["right"] as? Int)
            }
            #expect(right[0] == right[1] && right[0] ?? 0 > 0, "\(right)")
            // The other model lacks this head, so it answers as usual.
            let files = strangers(2) + [("cat/1.jpg", cat)]
            let both = try await evaluate(service, files, "model=headed&against=menagerie&head=classes")
            let heads = try (both.object()["models"] as? [Object])?.compactMap { $0["head"] as? String } ?? []
            #expect(heads.count == 2 && heads[0] == "classes", "\(both.text)")
            #expect(heads.last == "presence", "\(both.text)")

            let unknown = try await evaluate(service, files, "head=tails")
            #expect(unknown.status == 400 && unknown.text.contains("“head”"), "\(unknown.text)")
            #expect(unknown.text.contains("presence, "), "\(unknown.text)")
            let ignorant = try await evaluate(service, files, "head=cats")
            #expect(ignorant.status == 422 && ignorant.text.contains("in its head “cats”"), "\(ignorant.text)")
        }
    }

    /// Training photos are left out of an evaluation. The photos that the training held out are used.
    @Test func photosThatAModelLearntFromAreLeftOut() async throws {
        try await TrainingBench.withTraining { service in
            let photos = Pictures.files(count: 10)
            let record = try await TrainingBench.end(
                service, TrainingBench.begin(service, photos, query: "name=knows&deploy=true"))
            let held = (record["result"] as? Object)?["held_out_photos"] as? Int
            let answer = try await evaluate(service, photos, "model=knows").object()
            #expect(answer["photos"] as? Int == held && (held ?? 0) > 1, "\(answer)")
            let skipped = try #require(answer["skipped"] as? [Object])
            #expect(skipped.allSatisfy { $0["why"] as? String == "knows@1 learnt from it" }, "\(skipped)")

            // Prototypes use all photos.
            _ = try await TrainingBench.end(
                service, TrainingBench.begin(service, photos, query: "name=fewknown&method=prototypes&deploy=true"))
            let none = try await evaluate(service, photos, "model=fewknown")
            #expect(none.status == 422 && none.text.contains("/problems/unusable-evaluation"), "\(none.text)")
            #expect(none.text.contains("None of the 20 files"), "\(none.text)")
        }
    }

    @Test func whatCannotBeMeasuredIsRefused() async throws {
        let folder = try TemporaryFolder()
        for (name, bytes) in strangers(2) {
            try FileManager.default.createDirectory(
                atPath: folder.path + "/photos/" + name.prefix { $0 != "/" }, withIntermediateDirectories: true)
            try folder.write(bytes, "photos/" + name)
        }
        try await TrainingBench.withTraining(folderRoot: folder.path) { service in
            _ = try await TrainingBench.end(
                service, TrainingBench.begin(service, Pictures.files(count: 6), query: "name=refusals&deploy=true"))
            let files = strangers(2)
            let cases: [(String, [(String, [UInt8])], String, Int, String)] = [
                ("no photos", [], "model=refusals", 422, "no photos"),
                ("unknown model", files, "model=nobody", 404, "nobody"),
                ("unknown version", files, "model=refusals@9", 404, "refusals@9"),
                ("no name", files, "model=No%20Name", 400, "“model”"),
                ("parameter", files, "model=refusals&seed=1", 400, "seed"),
                ("itself", files, "model=refusals&against=refusals@1", 422, "Both are refusals@1"),
                ("classes", [("x/1.bmp", files[0].1)], "model=refusals", 422, "knows none of the classes"),
                ("broken", [("disc/1.jpg", [1])], "model=refusals", 422, "The only file is left out, disc/1.jpg"),
            ]
            for (what, files, query, status, text) in cases {
                let answer = try await evaluate(service, files, query)
                #expect(answer.status == status && answer.text.contains(text), "\(what): \(answer.text)")
                #expect(answer.headers["content-type"] == "application/problem+json")
            }
            let failed = try await evaluate(service, files, "model=nobody", accept: "text/event-stream")
            #expect(failed.status == 200 && failed.text.contains("event: failed"), "\(failed.text)")
            #expect(try await evaluate(service, files, "model=refusals", accept: "image/png").status == 406)

            func json(_ text: String) async throws -> RawResponse {
                try await service.request(
                    "POST", "/evaluation", headers: [("Content-Type", "application/json")], body: Array(text.utf8))
            }
            let local = try await json(#"{"source":"folder","folder":"photos","model":"refusals"}"#)
            #expect(local.status == 200, "\(local.text)")
            #expect(try local.object()["photos"] as? Int == 4)
            let forbidden = try await json(#"{"source":"folder","folder":"/etc","model":"refusals"}"#)
            #expect(forbidden.status == 422 && forbidden.text.contains("/problems/unusable-evaluation"))
            #expect(try await json(#"{"source":"folder","folder":"photos","name":"x"}"#).status == 400)
            let foreign = try await service.request(
                "POST", "/evaluation", headers: [("Content-Type", "text/plain")], body: [1])
            #expect(foreign.status == 415)
        }
    }
}
