import Base
import HTTP
import History
import Imaging
import Recognition

/// The answer of `POST /classify` for one photo.
struct ClassificationRepresentation: Encodable {
    /// The id of the saved scan; absent if nothing was saved.
    let id: String?
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
    /// Two or three breeds with their shares; absent if one breed has most of the answer.
    let mix: [PredictionRepresentation]?
    /// The named individual that the animal is held to be; absent if no animal has a name.
    let individual: IndividualRepresentation?
    /// The answers of added trained heads, by the name of the trained model; absent if there are none.
    let added: [String: AddedHeadRepresentation]?
    let model: ScanModel
    let image: ScanImage
    let timing: ScanRepresentation.Timing
    let url: String?
    /// Earlier scans of the identical photo, newest first; absent if nothing was saved.
    let seenBefore: [String]?

    init(_ answer: ClassifiedPhoto, names: LabelNames) {
        let scan = answer.scan
        id = answer.isSaved ? scan.id.description : nil
        message = scan.message
        species = scan.species
        head = scan.head
        presence = scan.presence
        predictions = scan.predictions.map { names.prediction($0, head: scan.head) }
        heads = answer.showsHeads ? names.predictions(scan.heads) : nil
        boxes = scan.boxes?.map { BoxRepresentation($0, names: names) }
        animals = BoxRepresentation.animals(among: boxes)
        abstained = scan.abstained
        mix = Self.mix(of: scan, names: names)
        individual = scan.learnt?.individual.map { IndividualRepresentation($0, language: names.language) }
        added = scan.learnt?.added(named: names)
        model = scan.model
        image = scan.image
        timing = ScanRepresentation.Timing(scan.timing)
        url = answer.isSaved ? "/history/\(scan.id)" : nil
        seenBefore = answer.seenBefore?.map(\.description)
    }

    private static func mix(of scan: NewScan, names: LabelNames) -> [PredictionRepresentation]? {
        guard ["cats", "dogs"].contains(scan.head), scan.species + "s" == scan.head else { return nil }
        let shares = Mixture.shares(of: scan.predictions)
        return shares.isEmpty ? nil : shares.map { names.prediction($0, head: scan.head) }
    }
}
