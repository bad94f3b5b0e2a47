import Base
import Encyclopaedia
import Recognition
import Storage

/// The named individual that an animal is held to be.
struct IndividualRepresentation: Encodable {
    struct Candidate: Encodable {
        let name: String
        let confidence: Double
        let percent: String
    }

    /// The name; null if it is none of the known individuals.
    let name: Nullable<String>
    let confidence: Double
    let percent: String
    let message: String
    let candidates: [Candidate]

    init(_ answer: LearntAnswers.Individual, language: Language) {
        name = Nullable(answer.name)
        confidence = answer.confidence.rounded4
        percent = answer.confidence.percent
        message = Self.message(answer.name, language)
        candidates = answer.candidates.map {
            Candidate(name: $0.label, confidence: $0.confidence.rounded4, percent: $0.percent)
        }
    }

    private static func message(_ name: String?, _ language: Language) -> String {
        switch (name, language) {
        case (let name?, .finnish): "Tämä on \(name)."
        case (let name?, .english): "This is \(name)."
        case (nil, .finnish): "Tämä ei ole kukaan tutuista eläimistä."
        case (nil, .english): "This is not one of the animals that have a name here."
        }
    }
}

/// The answer of a trained head that was added to the model's answer.
struct AddedHeadRepresentation: Encodable {
    let version: String
    let abstained: Bool
    /// Whether the photo resembles nothing that the head was taught.
    let unknown: Bool
    let predictions: [PredictionRepresentation]

    init(_ answer: LearntAnswers.AddedHead, names: LabelNames) {
        version = answer.version
        abstained = answer.abstained
        unknown = answer.predictions.isEmpty
        predictions = answer.predictions.map { names.prediction($0, head: answer.name) }
    }
}

extension LearntAnswers {
    /// The added answers by the name of the trained model; nil if there are none.
    func added(named names: LabelNames) -> [String: AddedHeadRepresentation]? {
        guard !added.isEmpty else { return nil }
        return Dictionary(
            added.map { ($0.name, AddedHeadRepresentation($0, names: names)) }, uniquingKeysWith: { first, _ in first })
    }
}
