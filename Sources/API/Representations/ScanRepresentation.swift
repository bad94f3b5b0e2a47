import Base
import Encyclopaedia
import Foundation
import History
import Recognition

/// A saved scan in the HTTP interface.
struct ScanRepresentation: Encodable {
    struct Timing: Encodable {
        let decodeMs: Double
        let queueMs: Double
        let inferenceMs: Double
        let batchSize: Int
        /// The milliseconds of a cascade's second network; absent if it did not run.
        let secondStageMs: Double?

        init(_ timing: Base.Timing) {
            decodeMs = timing.decode
            queueMs = timing.queue
            inferenceMs = timing.inference
            batchSize = timing.batchSize
            secondStageMs = timing.secondStage
        }

        /// The timing for a browser's developer tools (W3C Server Timing).
        var serverTiming: String {
            "decode;dur=\(decodeMs), queue;dur=\(queueMs), inference;dur=\(inferenceMs)"
                + (secondStageMs.map { ", second_stage;dur=\($0)" } ?? "")
        }
    }

    let id: String
    let createdAt: Date
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
    let note: String?
    let correctedLabel: String?
    /// The name of the correction; absent without a correction, and if it is not an animal.
    let correctedName: String?
    /// The individual's name that a person gave.
    let individual: String?
    /// The named individual that the animal was held to be at that time; absent if no animal had a name.
    let individualAnswer: IndividualRepresentation?
    /// The answers of added trained heads, by the name of the trained model.
    let added: [String: AddedHeadRepresentation]?
    let model: ScanModel
    let image: ScanImage
    let timing: Timing
    let url: String
    let photoUrl: String?
    let thumbnailUrl: String?

    init(_ scan: Scan, names: LabelNames) {
        id = scan.id.description
        createdAt = scan.createdAt
        message = scan.message
        species = scan.species
        head = scan.head
        presence = scan.presence
        predictions = scan.predictions.map { names.prediction($0, head: scan.head) }
        heads = scan.heads.isEmpty ? nil : names.predictions(scan.heads)
        boxes = scan.boxes?.map { BoxRepresentation($0, names: names) }
        animals = BoxRepresentation.animals(among: boxes)
        abstained = scan.abstained
        note = scan.note
        correctedLabel = scan.correctedLabel
        correctedName = scan.correctedLabel.flatMap { label in
            Recogniser.animalKinds.contains(label)
                ? names.name(label, from: .head("kinds")) : names.encyclopaedia[label]?.name[names.language]
        }
        individual = scan.individual
        individualAnswer = scan.learnt?.individual.map { IndividualRepresentation($0, language: names.language) }
        added = scan.learnt?.added(named: names)
        model = scan.model
        image = scan.image
        timing = Timing(scan.timing)
        url = "/history/\(scan.id)"
        photoUrl = scan.photo.map { _ in "/history/\(scan.id)/photo" }
        thumbnailUrl = scan.photo.map { _ in "/history/\(scan.id)/thumbnail" }
    }
}
