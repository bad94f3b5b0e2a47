import Base
package import Encyclopaedia
package import Storage

extension HistoryStore {
    /// Writes the boxes of scans in MegaDetector's format. Photos have the names that they have in an exported archive.
    package func exportTrapResults(
        _ query: HistoryQuery, encyclopaedia: Encyclopaedia, to write: Writer
    ) async throws {
        var results = TrapResults(
            encyclopaedia: encyclopaedia, detector: "menagerie history", classifier: "menagerie")
        try await write(Array(results.beginning.utf8))
        try await exportPages(query) { scans in
            let text = scans.map { results.image(TrapEntry($0), file: "photos/\($0.id).jpg") }.joined()
            try await write(Array(text.utf8))
        }
        try await write(Array(results.end.utf8))
    }
}

extension TrapEntry {
    /// Makes an entry from a scan. Without detection, a cat, a dog or a zoo animal takes the whole picture.
    fileprivate init(_ scan: Scan) {
        var things = (scan.boxes ?? []).map { box in
            TrapThing(
                label: box.label, confidence: box.confidence, x: box.x, y: box.y, width: box.width, height: box.height,
                species: box.predictions ?? box.species.map { [$0] } ?? [
                    Prediction(label: box.label, confidence: Float(box.confidence))
                ])
        }
        if scan.boxes == nil, ["cats", "dogs", "zoo"].contains(scan.head), let first = scan.predictions.first {
            things = [
                TrapThing(
                    label: ["cats": "cat", "dogs": "dog"][scan.head] ?? "other animal",
                    confidence: Double(first.confidence), x: 0, y: 0, width: 1, height: 1, species: scan.predictions)
            ]
        }
        // A correction concerns the photo. If the photo has one animal, it concerns that animal.
        if let label = scan.correctedLabel, things.count == 1 {
            things[0].species = [Prediction(label: label, confidence: 1)]
        }
        self.init(photo: scan.id.description, things: things, model: "")
    }
}
