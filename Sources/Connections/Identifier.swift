import Base
package import Encyclopaedia
import Recognition
import Storage
package import Training

/// Recognises the individual, breed or species of an animal.
package struct Identifier: Sendable {
    private let encyclopaedia: Encyclopaedia
    /// Nil if learning is off.
    private let individuals: IndividualService?
    /// The least confidence for an individual, 0…1.
    private let least: Double

    package init(encyclopaedia: Encyclopaedia, individuals: IndividualService?, least: Double = 0.5) {
        self.encyclopaedia = encyclopaedia
        self.individuals = individuals
        self.least = least
    }

    package var names: [String] { individuals?.status.names ?? [] }

    /// The individual that a picture shows. Nil for an unknown animal.
    func individual(_ classification: Classification) -> Sighting.Name? {
        guard let answer = individuals?.answer(to: classification), let name = answer.name, answer.confidence >= least
        else { return nil }
        return Sighting.Name(label: name, confidence: answer.confidence)
    }

    /// The most specific name of a sighting, capitalised.
    func name(of sighting: Sighting) -> String {
        if let individual = sighting.individual { return individual.label }
        if let breed = sighting.breed { return encyclopaedia.name(breed.label, in: .english) }
        return encyclopaedia.name(sighting.label, from: .box, in: .english)
    }

    /// The individual that a picture shows, otherwise the breed or species. Nil if all are unsure.
    func sublabel(_ classification: Classification, least: Double) -> Sighting.Name? {
        if let individual = individual(classification), individual.confidence >= least { return individual }
        guard !classification.abstained, let first = classification.predictions(1).first,
            Double(first.confidence) >= least
        else { return nil }
        let name = encyclopaedia.name(first.label, from: .head(classification.head), in: .english)
        return Sighting.Name(label: name, confidence: Double(first.confidence))
    }
}
