import Foundation
import Storage
import Testing
import TestSupport

@Suite struct MetadataTests {
    private static let place = Array("60 10 30 N".utf8)

    /// The drawing with EXIF data: an orientation of 1, and the location behind the entries.
    private static func photo() throws -> [UInt8] {
        let drawing = try #require(ClassifyTests.drawing)
        let tiff: [UInt8] =
            [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0] + place
        let body = Array("Exif\0\0".utf8) + tiff
        return drawing.prefix(2) + [0xFF, 0xE1, 0, UInt8(body.count + 2)] + body + drawing.dropFirst(2)
    }

    private func kept(_ service: LiveService, query: String) async throws -> Bool {
        let scan = try await service.classify(Self.photo(), query: query)
        #expect(scan.status == 200, "\(scan.text)")
        let id = try #require(try scan.object()["id"] as? String)
        let stored = try await service.request("GET", "/history/\(id)/photo").body
        let thumbnail = try await service.request("GET", "/history/\(id)/thumbnail").body
        #expect(stored.starts(with: [0xFF, 0xD8]) && thumbnail.starts(with: [0xFF, 0xD8]))
        #expect(thumbnail.firstRange(of: Self.place) == nil)
        return stored.firstRange(of: Self.place) != nil
    }

    @Test func thePlaceIsGoneUnlessItWasAskedFor() async throws {
        try await withOwnService { service in
            #expect(try await !kept(service, query: ""))
            #expect(try await kept(service, query: "metadata=keep"))
            #expect(try await !kept(service, query: "metadata=strip"))
            let wrong = try await service.classify(Self.photo(), query: "metadata=perhaps")
            #expect(wrong.status == 400 && wrong.text.contains("strip, keep"), "\(wrong.text)")
        }
    }

    @Test func theOperatorMayDecideOtherwise() async throws {
        try await withOwnService(keepsMetadata: true) { service in
            #expect(try await kept(service, query: ""))
            #expect(try await !kept(service, query: "metadata=strip"))
            // The metadata also survives an export and import.
            let archive = try await service.request("GET", "/history/export?format=zip").body
            for (keeps, count) in [(true, 1), (false, 0)] {
                try await withOwnService(keepsMetadata: keeps) { other in
                    let type = [("Content-Type", "application/zip")]
                    let report = try await other.request("POST", "/history/import", headers: type, body: archive)
                    #expect(try report.object()["imported"] as? Int == 2, "\(report.text)")
                    var found = 0
                    for scan in try await other.request("GET", "/history").items() {
                        let stored = try await other.request("GET", try #require(scan["photo_url"] as? String)).body
                        if stored.firstRange(of: Self.place) != nil { found += 1 }
                    }
                    #expect(found == count)
                }
            }
        }
    }
}
