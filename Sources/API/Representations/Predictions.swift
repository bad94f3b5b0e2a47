package import Base
package import Encyclopaedia
import Foundation
import Storage

/// A label with its name and probability.
package struct PredictionRepresentation: Encodable {
    let label: String
    let name: String
    /// The probability, 0 to 1, to four decimals.
    let confidence: Double
    /// A text such as `91.2%`.
    let percent: String
    /// The address of the article, if there is one.
    let url: String?
    /// The name in every language. Only the species of a box or a track has it.
    var names: NameTranslations?
}

/// Gives labels their names and articles in one language.
package struct LabelNames: Sendable {
    package let encyclopaedia: Encyclopaedia
    package let language: Language

    /// - Parameter head: the head of the model that gave the answer, such as `dogs` or `objects`.
    func prediction(_ label: String, _ confidence: Double, head: String) -> PredictionRepresentation {
        let article = encyclopaedia.article(label, from: .head(head))
        return PredictionRepresentation(
            label: label, name: name(label, from: .head(head)), confidence: confidence.rounded4,
            percent: confidence.percent, url: article.map { "/breeds/\($0.id)" })
    }

    package func prediction(_ prediction: Prediction, head: String) -> PredictionRepresentation {
        self.prediction(prediction.label, Double(prediction.confidence), head: head)
    }

    /// The species of the animal in a box or a track.
    /// - Parameter head: the head of the classifier that knows the species.
    func species(_ prediction: Prediction, head: String) -> PredictionRepresentation {
        var species = self.prediction(prediction, head: head)
        species.names = translations(prediction.label, from: .head(head))
        return species
    }

    /// A name for a box.
    func word(_ prediction: Prediction) -> PredictionRepresentation {
        PredictionRepresentation(
            label: prediction.label, name: name(prediction.label, from: .box),
            confidence: prediction.confidence.rounded4, percent: prediction.percent, url: nil)
    }

    /// The answers of several heads.
    func predictions(_ heads: [String: [Prediction]]) -> [String: [PredictionRepresentation]] {
        Dictionary(
            uniqueKeysWithValues: heads.map { head, answers in
                (head, answers.map { prediction($0, head: head) })
            })
    }

    /// The name of the article, otherwise that of the object. A label without a name is read as plain words.
    package func name(_ label: String, from origin: LabelOrigin) -> String {
        encyclopaedia.name(label, from: origin, in: language)
    }

    func translations(_ label: String, from origin: LabelOrigin) -> NameTranslations {
        NameTranslations(
            en: encyclopaedia.name(label, from: origin, in: .english),
            fi: encyclopaedia.name(label, from: origin, in: .finnish))
    }
}

extension Encyclopaedia {
    package func names(in language: Language) -> LabelNames { LabelNames(encyclopaedia: self, language: language) }
}

/// A name in every language, because a client may change the language.
struct NameTranslations: Encodable {
    let en: String
    let fi: String
}
