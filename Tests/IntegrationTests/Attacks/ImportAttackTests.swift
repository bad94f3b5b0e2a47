import Base
import Foundation
import Storage
import Streams
import Testing
import TestSupport

@testable import Video

/// Imports of scans with impossible values.
@Suite struct ImportAttackTests {
    private typealias Object = [String: any Sendable]

    /// Changes to one field of a scan that make it invalid.
    private static let nonsense: [(field: String, change: @Sendable (inout Object) -> Void)] = [
        ("predictions", { $0["predictions"] = [["label": "siamese", "confidence": 1e30] as Object] }),
        ("predictions", { $0["predictions"] = [["label": "siamese", "confidence": -0.1] as Object] }),
        ("predictions", { $0["predictions"] = [["label": "a\u{7}b", "confidence": 0.5] as Object] }),
        (
            "predictions",
            { $0["predictions"] = (0..<10_001).map { ["label": "l\($0)", "confidence": 0] as Object } }
        ),
        ("heads", { $0["heads"] = ["cats": [["label": "siamese", "confidence": 2] as Object]] }),
        ("heads", { $0["heads"] = ["": [Object]()] }),
        ("presence", { $0["presence"] = ["cat": 1e300] }),
        ("image", { $0["image"] = ($0["image"] as? Object)?.with("width", -1) }),
        ("image", { $0["image"] = ($0["image"] as? Object)?.with("height", Int.max) }),
        ("image.orientation", { $0["image"] = ($0["image"] as? Object)?.with("orientation", 9) }),
        ("image.format", { $0["image"] = ($0["image"] as? Object)?.with("format", "") }),
        ("message", { $0["message"] = String(repeating: "m", count: 900_000) }),
        ("species", { $0["species"] = String(repeating: "s", count: 201) }),
        ("head", { $0["head"] = "" }),
        ("model.name", { $0["model"] = ["name": "a\nb", "version": "1"] }),
        ("created_at", { $0["created_at"] = "0001-01-01T00:00:00Z" }),
        ("created_at", { $0["created_at"] = "9999-12-31T23:59:59Z" }),
        ("id", { $0["id"] = "7ZZZZZZZZZZZZZZZZZZZZZZZZZ" }),
        ("timing", { $0["timing"] = ($0["timing"] as? Object)?.with("inference_ms", -1) }),
        ("timing.batch_size", { $0["timing"] = ($0["timing"] as? Object)?.with("batch_size", Int.max) }),
        ("boxes", { $0["boxes"] = [ImportAttackTests.box(x: 1e9, confidence: 0.5)] }),
        ("boxes", { $0["boxes"] = [ImportAttackTests.box(x: 0, confidence: 7)] }),
        ("boxes", { $0["boxes"] = Array(repeating: ImportAttackTests.box(x: 0, confidence: 0.5), count: 1_001) }),
        ("note", { $0["note"] = String(repeating: "n", count: 4_001) }),
        ("individual", { $0["individual"] = "../Misu" }),
    ]

    private static func box(x: Double, confidence: Double) -> Object {
        ["x": x, "y": 0.0, "width": 0.5, "height": 0.5, "label": "cat", "confidence": confidence]
    }

    @Test func whatNoScanCanSayIsRefusedByName() async throws {
        let photo = try #require(ClassifyTests.drawing)
        try await withOwnService { service in
            _ = try await service.classify(photo, query: "")
            let line = try await service.request("GET", "/history/export").body
            let scan = try #require(try JSONSerialization.jsonObject(with: Data(line)) as? Object)
            var lines: [UInt8] = []
            for (_, change) in Self.nonsense {
                var changed = scan
                changed["id"] = "\(ULID.next())"
                change(&changed)
                lines += try JSONSerialization.data(withJSONObject: changed) + [UInt8(ascii: "\n")]
            }
            // A valid scan among the invalid ones is imported.
            lines += try JSONSerialization.data(withJSONObject: scan.with("id", "\(ULID.next())"))
            let answer = try await service.request(
                "POST", "/history/import", headers: [("Content-Type", "application/x-ndjson")], body: lines)
            let report = try answer.object()
            #expect(report["imported"] as? Int == 1 && report["failed"] as? Int == Self.nonsense.count, "\(report)")
            let errors = try #require(report["errors"] as? [Object])
            for (error, wanted) in zip(errors, Self.nonsense) {
                #expect(error["code"] as? String == "invalid-field", "\(wanted.field): \(error)")
                #expect(error["field"] as? String == wanted.field, "\(error)")
            }
            #expect(try await service.request("GET", "/history").object()["total"] as? Int == 2)
        }
    }
}

/// The invalid rows come from another replica or an earlier process.
@Suite struct RowAttackTests {
    @Test func whatNoVideoAndNoLapTimerCanSayIsLeftOut() async throws {
        try await withOwnService(backend: .sqlite) { service in
            let parameters = VideoJob.Parameters(
                every: 2, model: nil, language: .english, detects: false, annotates: false, saves: false, laps: nil)
            let info = VideoInfo(width: 320, height: 240, container: "mp4", codec: "h264", duration: 2)
            var ids: [ULID] = []
            func add(_ change: (String) -> String) async throws {
                var job = VideoJob(id: .next(), parameters: parameters, info: info, bytes: 1, keeper: nil)
                (job.state, job.progress) = (.done, 0.5)
                var row = try job.row()
                row.document = change(row.document)
                try await service.history.scans.saveJob(row)
                ids.append(job.id)
            }
            try await add { $0 }
            for (said, nonsense) in [
                (#""progress":0.5"#, #""progress":1e300"#), (#""duration":2"#, #""duration":1e30"#),
                (#""width":320"#, #""width":-1"#), (#""every":2"#, #""every":0"#),
            ] {
                try await add { document in
                    #expect(document.contains(said), "\(document)")
                    return document.replacing(said, with: nonsense)
                }
            }
            let shown = try await service.request("GET", "/videos").items().compactMap { $0["id"] as? String }
            #expect(shown == [ids[0].description])
            for id in ids.dropFirst() { #expect(try await service.request("GET", "/videos/\(id)").status == 404) }

            let timer = LapDocument(
                createdAt: Date(), configuration: LapConfiguration(label: "sports_car"), model: nil, video: nil,
                laps: [], photos: [], lastNumber: 0)
            let text = String(decoding: try JSONEncoder().encode(timer), as: UTF8.self)
            let (sound, broken) = (ULID.next(), ULID.next())
            try await service.history.scans.saveLaps(LapRecord(id: sound, document: text))
            try await service.history.scans.saveLaps(
                LapRecord(
                    id: broken, document: text.replacing(#""threshold":0.1"#, with: #""threshold":-1e300"#)))
            let timers = try await service.request("GET", "/laps").items().compactMap { $0["id"] as? String }
            #expect(timers == [sound.description])
        }
    }
}

extension [String: any Sendable] {
    /// A copy with one member changed.
    fileprivate func with(_ key: String, _ value: any Sendable) -> Self { merging([key: value]) { $1 } }
}
