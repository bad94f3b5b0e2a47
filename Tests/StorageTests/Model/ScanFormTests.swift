import Base
import Foundation
import Testing

@testable import Storage

@Suite("JSON of scans, cursors") struct ScanFormTests {
    @Test func aScanSurvivesItsJSON() throws {
        var scan = Scan.fixture(photo: StoredPhoto(digest: ContentDigest(of: []), byteCount: 9))
        scan.note = "Ä \u{1F408} \" \\ \n"
        let data = try JSONEncoder().encode(scan)
        #expect(try JSONDecoder().decode(Scan.self, from: data) == scan)
        let object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(object["created_at"] as? String == scan.createdAt.rfc3339)
        #expect((object["timing"] as? [String: Any])?["decode_ms"] as? Double == 7.1)
        #expect(object["label"] as? String == "siamese")
    }
}
