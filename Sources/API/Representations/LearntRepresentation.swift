import Encyclopaedia
import Training

/// Which of the animals that people called by name it is.
struct IndividualRepresentation: Encodable {
    struct Candidate: Encodable {
        let name: String
        let confidence: Double
        let percent: String
    }

    /// Null: it is none of them.
    let name: Nullable<String>
    let confidence: Double
    let percent: String
    let message: String
    let candidates: [Candidate]

    init(_ answer: IndividualService.Answer, language: Language) {
        name = Nullable(answer.name)
        confidence = Self.rounded(answer.confidence)
        percent = LabelNames.percent(answer.confidence)
        message = Self.message(answer.name, language)
        candidates = answer.candidates.map {
            Candidate(
                name: $0.name, confidence: Self.rounded($0.confidence), percent: LabelNames.percent($0.confidence))
        }
    }

    private static func message(_ name: String?, _ language: Language) -> String {
        switch (name, language) {
        case (let name?, .finnish): "Tämä on \(name)."
        case (let name?, .english): "This is \(name)."
        case (nil, .finnish): "Tämä ei ole kukaan tutuista eläimistä."
        case (nil, .english): "This is none of the animals that have a name here."
        }
    }

    private static func rounded(_ value: Double) -> Double { (value * 10_000).rounded() / 10_000 }
}

/// What a trained head says that was added to the model's answer.
struct AddedHeadRepresentation: Encodable {
    let version: String
    let abstained: Bool
    let predictions: [PredictionRepresentation]

    init(_ answer: AttachedHeads.Answer, names: LabelNames) {
        version = answer.version
        abstained = answer.abstained
        predictions = answer.predictions.map { names.prediction($0.label, $0.confidence, head: answer.name) }
    }
}
