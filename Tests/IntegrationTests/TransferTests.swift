import Base
import Foundation
import Storage
import Testing
import TestSupport

@Suite struct TransferTests {
    private let photo: [UInt8]

    init() throws {
        photo = try #require(ClassifyTests.drawing)
    }

    /// Saves scans, the first with a note and a correction. The oldest comes first.
    private func fill(_ service: LiveService, _ count: Int = 3) async throws -> [String] {
        var ids: [String] = []
        for _ in 0..<count {
            ids.append(try #require(try await service.classify(photo, query: "").object()["id"] as? String))
        }
        let patch = #"{"note": "=1+1, \"quoted\"\nsecond line", "corrected_label": "siamese"}"#
        #expect(try await service.request("PATCH", "/history/\(ids[0])", body: Array(patch.utf8)).status == 200)
        return ids
    }

    private func importing(_ service: LiveService, _ bytes: [UInt8], _ type: String) async throws -> RawResponse {
        try await service.request("POST", "/history/import", headers: [("Content-Type", type)], body: bytes)
    }

    @Test func archivesCarryEverythingToAnotherService() async throws {
        try await withOwnService { first in
            let ids = try await fill(first)
            let archive = try await first.request("GET", "/history/export?format=zip")
            #expect(archive.headers["content-type"] == "application/zip")
            #expect(archive.headers["content-disposition"]?.contains("menagerie-history-20") == true)
            #expect(archive.headers["x-total-count"] == "3")
            try await withOwnService(backend: .sqlite) { second in
                let report = try await importing(second, archive.body, "application/zip")
                #expect(try report.object()["imported"] as? Int == 3, "\(report.text)")
                for id in ids {
                    for path in ["/history/\(id)", "/history/\(id)/photo"] {
                        let copy = try await second.request("GET", path)
                        #expect(try await copy.body == first.request("GET", path).body, "\(path)")
                        #expect(copy.status == 200)
                    }
                }
                let again = try await importing(second, archive.body, "application/zip").object()
                #expect(again["imported"] as? Int == 0 && again["skipped"] as? Int == 3)
                let skipped = try #require(again["skipped_scans"] as? [[String: any Sendable]])
                #expect(Set(skipped.compactMap { $0["id"] as? String }) == Set(ids))
                #expect(skipped.allSatisfy { $0["reason"] as? String == "is there already" })
                #expect(skipped.compactMap { $0["place"] as? String }.first == "line 1 of scans/000001.jsonl")
            }
        }
    }

    @Test func jsonLinesCarryAllButThePhotos() async throws {
        try await withOwnService { first in
            let ids = try await fill(first, 1)
            let lines = try await first.request("GET", "/history/export")
            #expect(lines.headers["content-type"] == "application/x-ndjson")
            try await withOwnService { second in
                let broken = lines.body + Array("{\"id\": 7}\n\nnonsense\n".utf8)
                let report = try await importing(second, broken, "application/x-ndjson").object()
                #expect(report["imported"] as? Int == 1 && report["failed"] as? Int == 2)
                let errors = try #require(report["errors"] as? [[String: any Sendable]])
                #expect(errors.compactMap { $0["place"] as? String } == ["line 2", "line 4"])
                #expect(errors.compactMap { $0["line"] as? Int } == [2, 4])
                #expect(errors.compactMap { $0["code"] as? String } == ["invalid-field", "no-object"])
                let huge = Array(lines.text.replacing(/"width":\d+/, with: "\"width\":1e30").utf8)
                let refused = try await importing(second, huge, "application/x-ndjson")
                #expect(refused.status == 422 && refused.text.contains("a number in it is too large"))
                let wide = lines.text.replacing(ids[0], with: ULID.next().description).utf16.flatMap {
                    [UInt8($0 & 255), UInt8($0 >> 8)]
                }
                let misread = try await importing(second, wide, "application/x-ndjson")
                #expect(misread.status == 422 && misread.text.contains("not a JSON object in UTF-8"))
                #expect(errors[0]["field"] as? String == "id")
                let scan = try await second.request("GET", "/history/\(ids[0])").object()
                #expect(scan["corrected_label"] as? String == "siamese" && scan["photo_url"] == nil)
            }
        }
    }

    @Test(arguments: ["zip", "jsonl"]) func boxesAreShownAndCarriedAlong(format: String) async throws {
        let box = Box(
            x: 0.25, y: 0.5, width: 0.5, height: 0.25, label: "cat", confidence: 0.9,
            predictions: [Prediction(label: "siamese", confidence: 0.75)])
        try await withOwnService { first in
            let image = ScanImage(
                width: 500, height: 375, format: "jpeg", orientation: 1, sha256: ContentDigest(of: photo))
            let scan = Scan(
                species: "cat", head: "cats", predictions: [], message: "m",
                model: ScanModel(name: "detector", version: "1"), image: image,
                timing: Timing(decode: 1, queue: 1, inference: 1, batchSize: 1), boxes: [box])
            _ = try await first.history.save(scan, photo: photo)
            let shown = try await first.request("GET", "/history/\(scan.id)")
            let boxes = try #require(try shown.object()["boxes"] as? [[String: any Sendable]], "\(shown.text)")
            #expect(boxes.count == 1 && boxes[0]["x"] as? Double == 0.25 && boxes[0]["height"] as? Double == 0.25)
            #expect(boxes[0]["label"] as? String == "cat" && boxes[0]["confidence"] as? Double == 0.9)
            let breeds = try #require(boxes[0]["predictions"] as? [[String: any Sendable]])
            #expect(breeds.first?["name"] as? String == "Siamese")
            let export = try await first.request("GET", "/history/export?format=\(format)")
            let type = try #require(export.headers["content-type"])
            try await withOwnService { second in
                let report = try await importing(second, export.body, type)
                #expect(try report.object()["imported"] as? Int == 1, "\(report.text)")
                let copy = try await second.request("GET", "/history/\(scan.id)").object()
                let carried = try #require(copy["boxes"] as? [[String: any Sendable]])
                #expect(NSArray(array: carried) == NSArray(array: boxes))
                // The member is missing if no boxes were requested.
                let plain = try await second.classify(photo, query: "").object()
                let id = try #require(plain["id"] as? String)
                #expect(try await second.request("GET", "/history/\(id)").object()["boxes"] == nil)
            }
        }
    }

    @Test func spreadsheetsGetOneHarmlessLineAScan() async throws {
        try await withOwnService { service in
            let ids = try await fill(service, 2)
            let answer = try await service.request("GET", "/history/export?format=csv")
            #expect(answer.headers["content-type"] == "text/csv; charset=utf-8")
            #expect(answer.text.hasPrefix("id,created_at,species,label,name,confidence,"))
            #expect(answer.text.contains("\r\n\(ids[1]),") && answer.text.contains("\r\n\(ids[0]),"))
            #expect(answer.text.contains(",siamese,\"'=1+1, \"\"quoted\"\"\nsecond line\","))
        }
    }

    @Test func filtersChooseWhatIsTakenOut() async throws {
        try await withOwnService { service in
            let ids = try await fill(service)
            for filter in ["corrected=true", "label=siamese", "q=QUOTED"] {
                let lines = try await service.request("GET", "/history/export?format=jsonl&\(filter)").text
                #expect(lines.split(separator: "\n").count == 1 && lines.contains(ids[0]), "\(filter)")
                let page = try await service.request("GET", "/history?\(filter)").items()
                #expect(page.compactMap { $0["id"] as? String } == [ids[0]], "\(filter)")
            }
            #expect(try await service.request("GET", "/history/export?colour=red").status == 400)
            #expect(try await service.request("GET", "/history/export?format=xml").status == 400)
            #expect(try await service.request("GET", "/history?to=2001-01-01T00:00:00Z").items().isEmpty)
            #expect(try await service.request("GET", "/history?from=2001-01-01+00:00").status == 400)
            for time in [
                "2001-01-01T00:00:00Z", "2001-01-01t00:00:00.5z", "2001-01-01T00:00:00%2B23:08",
                "2001-01-01T00:00:00+23:08",
            ] {
                #expect(try await service.request("GET", "/history?from=\(time)").items().count == 3, "\(time)")
            }
        }
    }

    @Test func anEmptyHistoryCanBeTakenOutAndIn() async throws {
        try await withOwnService { service in
            let archive = try await service.request("GET", "/history/export?format=zip")
            #expect(archive.status == 200 && archive.headers["x-total-count"] == "0")
            #expect(archive.text.contains("\"scans\" : 0"))
            let report = try await importing(service, archive.body, "application/zip")
            #expect(report.status == 200, "\(report.text)")
            #expect(try await importing(service, [], "application/x-ndjson").status == 200)
        }
    }

    @Test func wrongImportsAreRefused() async throws {
        try await withOwnService { service in
            let cases: [(String, String, Int)] = [
                ("text/plain", "x", 415), ("text/csv", "id,created_at\r\n", 415),
                ("application/zip", "no archive", 400),
                ("application/x-ndjson", "nonsense\n", 422), ("application/x-ndjson", "[]\n{}\n", 422),
            ]
            for (type, body, status) in cases {
                let answer = try await importing(service, Array(body.utf8), type)
                #expect(answer.status == status, "\(type) \(body): \(answer.text)")
                #expect(answer.headers["content-type"] == "application/problem+json")
            }
            let spreadsheet = try await importing(service, Array("id\r\n".utf8), "text/csv; charset=utf-8").text
            #expect(spreadsheet.contains("CSV leaves out"), "\(spreadsheet)")
            _ = try await fill(service, 2)
            var archive = try await service.request("GET", "/history/export?format=zip").body
            // This byte is in the first photo. Its checksum is then wrong, so that scan is skipped and the other
            // imported.
            archive[2_000] ^= 0xFF
            try await withOwnService { other in
                let report = try await importing(other, archive, "application/zip").object()
                #expect(report["imported"] as? Int == 1 && report["failed"] as? Int == 1)
                #expect(try await other.request("GET", "/history").object()["total"] as? Int == 1)
            }
        }
    }
}
