import Base
import HTTP
import History
import Imaging
import Recognition

/// What `POST /classify` answers for one photo.
struct ClassificationRepresentation: Encodable {
    /// Of the saved scan; absent where nothing was saved.
    let id: String?
    let message: String
    let species: String
    let head: String
    let presence: [String: Double]
    let predictions: [PredictionRepresentation]
    let heads: [String: [PredictionRepresentation]]?
    /// Absent where nobody looked for any.
    let boxes: [BoxRepresentation]?
    /// Of the boxes, those of animals; absent where there are none.
    let animals: [BoxRepresentation]?
    let abstained: Bool
    /// Two or three breeds that share the answer, with their shares; absent where one breed has most of it.
    let mix: [PredictionRepresentation]?
    /// Which of the animals with a name it is; absent where nobody has one.
    let individual: IndividualRepresentation?
    /// By the name of the trained model; absent where none is added to the answer.
    let added: [String: AddedHeadRepresentation]?
    let model: ScanRepresentation.Model
    let image: ScanRepresentation.Image
    let timing: ScanRepresentation.Timing
    let url: String?
    /// Earlier scans of the very same photo, newest first; absent where nothing was saved.
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
        model = ScanRepresentation.Model(name: scan.model.name, version: scan.model.version)
        image = ScanRepresentation.Image(scan.image)
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
