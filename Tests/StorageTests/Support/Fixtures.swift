import Base
import Foundation

@testable import Storage

final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("menagerie-history-\(ULID.next())").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }
}

final class TestClock: Sendable {
    private let time = Locked(Date(milliseconds: 1_800_000_000_000))

    var now: Date { time.withLock { $0 } }

    func advance(by seconds: TimeInterval) {
        time.withLock { $0 += seconds }
    }
}

extension Scan {
    /// A unique scan of a cat.
    static func fixture(
        id: ULID = .next(), label: String = "siamese", species: String = "cat", abstained: Bool = false,
        sha256: ContentDigest? = nil, photo: StoredPhoto? = nil
    ) -> Scan {
        Scan(
            id: id, species: species, head: "cats",
            predictions: [
                Prediction(label: label, confidence: 0.912), Prediction(label: "birman", confidence: 0.05),
            ],
            heads: [
                "cats": [Prediction(label: label, confidence: 0.912)],
                "fruit": [Prediction(label: "plum", confidence: 1.0 / 3.0)],
            ],
            presence: ["cat": 0.991, "dog": 0.004, "other": 0.005], abstained: abstained,
            message: "This cat shares the features of:", model: ScanModel(name: "menagerie", version: "1"),
            image: ScanImage(
                width: 4_032, height: 3_024, format: "jpeg", orientation: 6,
                sha256: sha256 ?? ContentDigest(of: Array(id.description.utf8))),
            timing: Timing(decode: 7.1, queue: 0.2, inference: 2.1, batchSize: 4),
            boxes: [Box(x: 0.1, y: 0.2, width: 0.5, height: 0.6, label: "cat", confidence: 0.9)],
            learnt: LearntAnswers(
                individual: .init(
                    name: nil, confidence: 0.7, candidates: [Prediction(label: "Misu", confidence: 0.3)]),
                added: [
                    .init(
                        name: "coats", version: "2", abstained: true,
                        predictions: [Prediction(label: "tabby", confidence: 0.4)])
                ]), photo: photo)
    }
}

/// Bytes that are unique to the seed.
func someBytes(_ count: Int, seed: UInt64) -> [UInt8] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    return (0..<count).map { _ in
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return UInt8(truncatingIfNeeded: state)
    }
}

extension Scan {
    /// The end of a page whose last scan this is.
    var cursor: Cursor { Cursor(HistoryQuery.listName, number: createdAt.milliseconds, id: id.description) }
}
