import Base
package import Encyclopaedia
package import Foundation
import Recognition
package import Storage

/// Writes results in MegaDetector's batch format (lila.science/megadetector-output-format), which Timelapse, AddaxAI
/// and others read. Names come before the pictures, for readers that work in one pass.
///
/// Numbers always have a decimal point. MegaDetector's own validator does not accept `1` as a confidence.
package struct TrapResults: Sendable {
    /// The least confidence of a written box. It is low, since users filter in their own program.
    package static let leastConfidence: Float = 0.05

    private static let version = "1.6"
    /// The threshold that programs should begin with. The conservative one finds more animals, with more false alarms.
    private static let typicalConfidence = 0.4
    private static let conservativeConfidence = 0.1
    private static let speciesCount = 3

    private let categories: TrapCategories
    private let detector: String
    private let classifier: String
    private let time: Date
    private var hasImages = false

    /// - Parameters:
    ///   - detector: the detector as `name@version`.
    ///   - time: the time of the run.
    package init(encyclopaedia: Encyclopaedia, detector: String, classifier: String, time: Date = Date()) {
        categories = TrapCategories(encyclopaedia)
        self.detector = detector
        self.classifier = classifier
        self.time = time
    }

    /// The text before the first picture.
    package var beginning: String {
        let species = categories.species.enumerated()
        let clock = Self.text(String(time.rfc3339.prefix(19)).replacing("T", with: " "))
        var info = [
            ("format_version", Self.text(Self.version)), ("detector", Self.text(detector)),
            ("detection_completion_time", clock), ("classifier", Self.text(classifier)),
            ("classification_completion_time", clock),
        ]
        // Users of another detector know its thresholds.
        if detector.hasPrefix(Recogniser.ownDetector) {
            info.append(
                (
                    "detector_metadata",
                    Self.object([
                        ("typical_detection_threshold", Self.number(Self.typicalConfidence)),
                        ("conservative_detection_threshold", Self.number(Self.conservativeConfidence)),
                    ])
                ))
        }
        return "{\n\"info\": \(Self.object(info)),\n"
            + "\"detection_categories\": \(Self.object(TrapCategories.detection.sorted { $0.key < $1.key }.map { ($0.key, Self.text($0.value)) })),\n"
            + "\"classification_categories\": \(Self.object(species.map { ("\($0)", Self.text($1.name)) })),\n"
            + "\"classification_category_descriptions\": \(Self.object(species.map { ("\($0)", Self.text($1.description)) })),\n"
            + "\"images\": ["
    }

    /// Writes the next picture or film.
    ///
    /// - Parameter file: the path relative to the folder of the whole run.
    package mutating func image(_ entry: TrapEntry, file: String) -> String {
        var members = [("file", Self.text(file))]
        if entry.error != nil {
            let failure = entry.frames == nil ? "Failure image access" : "Failure processing video"
            members += [("detections", "null"), ("failure", Self.text(failure))]
        }
        if let frameRate = entry.frameRate { members.append(("frame_rate", Self.number(frameRate))) }
        if let frames = entry.frames { members.append(("frames_processed", Self.list(frames.map { "\($0)" }))) }
        if entry.error == nil { members.append(("detections", Self.list((entry.things ?? []).compactMap(detection)))) }
        return (exchange(&hasImages, with: true) ? ",\n" : "\n") + Self.object(members)
    }

    /// The text after the last picture.
    package var end: String { "\n]\n}\n" }

    private func detection(_ thing: TrapThing) -> String? {
        guard let category = TrapCategories.category(of: thing.label) else { return nil }
        var members = [
            ("category", Self.text(category)), ("conf", Self.number(thing.confidence)),
            ("bbox", Self.list(thing.box.map(Self.number))),
        ]
        if let frame = thing.frame { members.append(("frame_number", "\(frame)")) }
        let species = thing.species.compactMap { prediction in
            categories.number(of: prediction.label).map {
                Self.list([Self.text($0), Self.number(Double(prediction.confidence))])
            }
        }
        if category == "1", !species.isEmpty {
            members.append(("classifications", Self.list(Array(species.prefix(Self.speciesCount)))))
        }
        return Self.object(members)
    }

    private static func number(_ value: Double) -> String { String(format: "%.4f", value) }

    private static func text(_ text: String) -> String {
        var bytes: [UInt8] = []
        JSONText.append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func list(_ values: [String]) -> String { "[" + values.joined(separator: ",") + "]" }

    private static func object(_ members: [(String, String)]) -> String {
        "{" + members.map { "\(text($0)):\($1)" }.joined(separator: ",") + "}"
    }
}

extension HistoryStore {
    /// Writes the boxes of scans in MegaDetector's format. Photos have the names that they have in an exported archive.
    package func exportTrapResults(_ query: HistoryQuery, encyclopaedia: Encyclopaedia, to write: Writer) async throws {
        var results = TrapResults(encyclopaedia: encyclopaedia, detector: "menagerie history", classifier: "menagerie")
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
