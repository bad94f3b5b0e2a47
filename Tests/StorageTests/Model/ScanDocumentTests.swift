import Base
import Foundation
import Testing

@testable import Storage

/// The stored JSON equals that of `Codable`.
@Suite struct ScanDocumentTests {
    static let scans: [Scan] = {
        let photo = ContentDigest(of: [1])
        var plain = Scan.fixture()
        plain.boxes = nil
        var empty = Scan.fixture(label: "", species: "other", abstained: true)
        (empty.predictions, empty.heads, empty.presence, empty.boxes) = ([], [:], [:], [])
        var odd = Scan.fixture()
        odd.message = "\"Kissa\" \\ / \u{0}\u{7}\u{1F}\u{7F}\n\r\t äöå 🐈‍⬛ \u{2028} e\u{301}"
        odd.heads = ["\"a\\b\n": [Prediction(label: "\u{1}", confidence: 1)], "": []]
        odd.presence = [
            "a": .leastNonzeroMagnitude, "b": 1e-9, "c": 1e300, "d": -0.0, "e": 1.0 / 3.0, "f": 100_000_000_000_000_000,
        ]
        odd.boxes = [
            Box(
                x: 0, y: 1, width: 0.5, height: 1e-20, label: "dog", confidence: 1,
                predictions: [Prediction(label: "beagle", confidence: 0.7)])
        ]
        var noted = Scan.fixture(photo: StoredPhoto(digest: photo, byteCount: 77))
        noted.note = "purrs\u{8}"
        noted.correctedLabel = "birman"
        return [
            plain, empty, odd, noted, .fixture(photo: StoredPhoto(digest: photo, byteCount: 0)),
        ]
    }()

    @Test(arguments: scans) func saysWhatCodableSays(_ scan: Scan) throws {
        let text = try #require(ScanRecord(scan).values(idempotencyKey: nil).last?.text)
        let ours = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary
        let theirs = try JSONSerialization.jsonObject(with: JSONEncoder().encode(scan)) as? NSDictionary
        #expect(ours != nil && ours == theirs)
        #expect(try JSONDecoder().decode(Scan.self, from: Data(text.utf8)) == scan)
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan]) func refusesWhatJSONCannotHold(_ number: Double) throws {
        var scan = Scan.fixture()
        scan.timing.queue = number
        #expect(throws: HistoryError.self) { try ScanRecord(scan).values(idempotencyKey: nil) }
    }
}
