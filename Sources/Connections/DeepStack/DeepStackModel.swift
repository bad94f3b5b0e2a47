import Base
import Recognition

/// A vocabulary for boxes. DeepStack's API calls it a model.
package enum DeepStackModel: String, CaseIterable, Sendable {
    /// Only the names of COCO. Frigate stops reading at the first unknown name.
    case general
    /// Animals are labelled with the id of their breed or species, such as `maine_coon`.
    case breeds = "menagerie_breeds"
    /// Animals are labelled with the names that people gave them.
    case pets = "menagerie_pets"

    /// Frigate's plugin fails with more predictions than this.
    static let maximumPredictions = 20

    private static let coco = Set(COCOLabels.all)

    /// The labelled boxes, the surest first.
    ///
    /// - Parameter least: the least confidence.
    func named(_ things: [SeenThing], from least: Double) -> [(thing: SeenThing, label: String, confidence: Double)] {
        let named = things.compactMap { thing in name(thing, from: least).map { (thing, $0.label, $0.confidence) } }
        return Array(named.sorted { $0.2 > $1.2 }.prefix(Self.maximumPredictions))
    }

    /// Nil if this vocabulary has no label for it, or if it is too unsure. An animal with an unsure breed or name is
    /// labelled with its species.
    private func name(_ thing: SeenThing, from least: Double) -> (label: String, confidence: Double)? {
        let species = (label: thing.label.lowercased(), confidence: thing.confidence)
        guard species.confidence >= least else { return nil }
        let closer: Prediction?
        switch self {
        case .general: return Self.coco.contains(species.label) ? species : nil
        case .breeds: closer = thing.kind?.prediction
        case .pets: closer = thing.individual
        }
        guard thing.isAnimal else { return nil }
        guard let closer else { return species }
        let confidence = thing.confidence * Double(closer.confidence)
        return confidence >= least ? (closer.label, confidence) : species
    }
}
