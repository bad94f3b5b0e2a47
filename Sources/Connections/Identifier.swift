import Base
package import Encyclopaedia
import Recognition
package import Training

/// Says who or what an animal is, as people call it.
package struct Identifier: Sendable {
    private let encyclopaedia: Encyclopaedia
    /// nil where nobody learns who is who.
    private let individuals: IndividualService?
    /// How sure it has to be that it is one animal and no other, 0…1.
    private let least: Double

    package init(encyclopaedia: Encyclopaedia, individuals: IndividualService?, least: Double = 0.5) {
        self.encyclopaedia = encyclopaedia
        self.individuals = individuals
        self.least = least
    }

    /// Animals that people have called by name.
    package var names: [String] { individuals?.status.names ?? [] }

    /// The animal that a picture shows; nil for a stranger.
    func individual(_ classification: Classification) -> Sighting.Name? {
        guard let answer = individuals?.answer(to: classification), let name = answer.name, answer.confidence >= least
        else { return nil }
        return Sighting.Name(label: name, confidence: answer.confidence)
    }

    /// The most telling name of a sighting, with a capital.
    func name(of sighting: Sighting) -> String {
        if let individual = sighting.individual { return individual.label }
        if let breed = sighting.breed { return encyclopaedia.name(breed.label, in: .english) }
        return encyclopaedia.name(sighting.label, from: .box, in: .english)
    }

    /// The individual that a picture shows, or else the breed or species; nil where nothing is sure enough.
    func sublabel(_ classification: Classification, least: Double) -> Sighting.Name? {
        if let individual = individual(classification), individual.confidence >= least { return individual }
        guard !classification.abstained, let first = classification.predictions(1).first,
            Double(first.confidence) >= least
        else { return nil }
        let name = encyclopaedia.name(first.label, from: .head(classification.head), in: .english)
        return Sighting.Name(label: name, confidence: Double(first.confidence))
    }
}
