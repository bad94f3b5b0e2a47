import Base
import Encyclopaedia
import Foundation
import Recognition
import Storage

/// A scan in the HTTP interface: as the history shows it, or as the answer of `POST /classify`.
struct ScanRepresentation: Encodable {
    /// A name that a person gave (history), or the named individual that the animal was held to be (`POST /classify`).
    enum Individual: Encodable {
        case given(String)
        case recognised(IndividualRepresentation)

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .given(let name): try name.encode(to: encoder)
            case .recognised(let answer): try answer.encode(to: encoder)
            }
        }
    }

    /// Absent if nothing was saved.
    let id: String?
    private(set) var createdAt: Date?
    let message: String
    let species: String
    let head: String
    let presence: [String: Double]
    let predictions: [PredictionRepresentation]
    let heads: [String: [PredictionRepresentation]]?
    /// The detected boxes; absent if no detection was made.
    let boxes: [BoxRepresentation]?
    /// The boxes of animals; absent if there are none.
    let animals: [BoxRepresentation]?
    let abstained: Bool
    /// Two or three breeds with their shares; absent if one breed has most of the answer, and in the history.
    private(set) var mix: [PredictionRepresentation]?
    private(set) var note: String?
    private(set) var correctedLabel: String?
    /// The name of the correction; absent without a correction, and if it is not an animal.
    private(set) var correctedName: String?
    private(set) var individual: Individual?
    /// In the history, the named individual that the animal was held to be; absent if no animal had a name.
    private(set) var individualAnswer: IndividualRepresentation?
    /// The answers of added trained heads, by the name of the trained model; absent if there are none.
    let added: [String: AddedHeadRepresentation]?
    let model: ScanModel
    let image: ScanImage
    let timing: Timing
    let url: String?
    private(set) var photoUrl: String?
    private(set) var thumbnailUrl: String?
    /// Earlier scans of the identical photo, newest first; absent if nothing was saved, and in the history.
    private(set) var seenBefore: [String]?

    private init(_ scan: Scan, isSaved: Bool, showsHeads: Bool, names: LabelNames) {
        id = isSaved ? scan.id.description : nil
        message = scan.message
        species = scan.species
        head = scan.head
        presence = scan.presence
        predictions = scan.predictions.map { names.prediction($0, head: scan.head) }
        heads = showsHeads ? names.predictions(scan.heads) : nil
        boxes = scan.boxes?.map { BoxRepresentation($0, names: names) }
        let found = boxes?.filter { Animals.labels.contains($0.label) } ?? []
        animals = found.isEmpty ? nil : found
        abstained = scan.abstained
        added = scan.learnt?.added(named: names)
        model = scan.model
        image = scan.image
        timing = scan.timing
        url = isSaved ? "/history/\(scan.id)" : nil
    }

    /// A scan of the history.
    init(_ scan: Scan, names: LabelNames) {
        self.init(scan, isSaved: true, showsHeads: !scan.heads.isEmpty, names: names)
        createdAt = scan.createdAt
        note = scan.note
        correctedLabel = scan.correctedLabel
        correctedName = scan.correctedLabel.flatMap { label in
            Recogniser.animalKinds.contains(label)
                ? names.name(label, from: .head("kinds")) : names.encyclopaedia[label]?.name[names.language]
        }
        individual = scan.individual.map { .given($0) }
        individualAnswer = scan.learnt?.individual.map { IndividualRepresentation($0, language: names.language) }
        photoUrl = scan.photo.map { _ in "/history/\(scan.id)/photo" }
        thumbnailUrl = scan.photo.map { _ in "/history/\(scan.id)/thumbnail" }
    }

    /// The answer for a photo that was just recognised.
    ///
    /// - Parameter seenBefore: earlier scans of the identical photo, newest first; nil if the scan is not saved.
    init(answer scan: Scan, seenBefore: [ULID]?, showsHeads: Bool, names: LabelNames) {
        self.init(scan, isSaved: seenBefore != nil, showsHeads: showsHeads, names: names)
        if scan.head == scan.species + "s", ["cats", "dogs"].contains(scan.head) {
            let shares = Mixture.shares(of: scan.predictions)
            mix = shares.isEmpty ? nil : shares.map { names.prediction($0, head: scan.head) }
        }
        individual = scan.learnt?.individual.map {
            .recognised(IndividualRepresentation($0, language: names.language))
        }
        self.seenBefore = seenBefore?.map(\.description)
    }
}

extension Timing {
    /// The timing for a browser's developer tools (W3C Server Timing).
    var serverTiming: String {
        "decode;dur=\(decode), queue;dur=\(queue), inference;dur=\(inference)"
            + (secondStage.map { ", second_stage;dur=\($0)" } ?? "")
    }
}
