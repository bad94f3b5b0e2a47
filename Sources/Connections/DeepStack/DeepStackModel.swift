import Base
import Recognition

/// What DeepStack calls a model, here a choice of words for the same boxes.
package enum DeepStackModel: String, CaseIterable, Sendable {
    /// The names of COCO and no others: Frigate stops reading at the first name that it does not know.
    case general
    /// Animals go by the id of their breed or species, such as `maine_coon`.
    case breeds = "menagerie_breeds"
    /// Animals go by the names that people gave them.
    case pets = "menagerie_pets"

    /// More than these, and Frigate's plugin fails.
    static let maximumPredictions = 20

    private static let coco = Set(COCOLabels.all)

    /// How things are called, the surest first.
    ///
    /// - Parameter least: things that are less sure are left out.
    func named(_ things: [SeenThing], from least: Double) -> [(thing: SeenThing, label: String, confidence: Double)] {
        let named = things.compactMap { thing in name(thing, from: least).map { (thing, $0.label, $0.confidence) } }
        let sorted = named.enumerated().sorted { ($1.element.2, $0.offset) < ($0.element.2, $1.offset) }
        return Array(sorted.map(\.element).prefix(Self.maximumPredictions))
    }

    /// nil for what this model has no word for, and for what is not sure enough. An animal whose breed or name is not sure
    /// enough goes by its species.
    private func name(_ thing: SeenThing, from least: Double) -> (label: String, confidence: Double)? {
        let species = (label: thing.label.lowercased(), confidence: thing.confidence)
        guard species.confidence >= least else { return nil }
        let closer: Prediction?
        switch self {
        case .general: return Self.coco.contains(species.label) ? species : nil
        case .breeds: closer = thing.kind?.answer
        case .pets: closer = thing.individual
        }
        guard thing.isAnimal else { return nil }
        guard let closer else { return species }
        let confidence = thing.confidence * Double(closer.confidence)
        return confidence >= least ? (closer.label, confidence) : species
    }
}
