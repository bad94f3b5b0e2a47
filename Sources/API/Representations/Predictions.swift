import Encyclopaedia
import Foundation

/// One answer of the model, with what people call it.
struct PredictionRepresentation: Encodable {
    let label: String
    let name: String
    /// 0 to 1, to four decimals.
    let confidence: Double
    /// `91.2%`
    let percent: String
    /// The article, where there is one.
    let url: String?
}

/// Gives labels their names and articles in one language.
struct LabelNames: Sendable {
    let encyclopaedia: Encyclopaedia
    let language: Language

    func prediction(_ label: String, _ confidence: Double) -> PredictionRepresentation {
        PredictionRepresentation(
            label: label, name: name(label), confidence: (confidence * 10_000).rounded() / 10_000,
            percent: Self.percent(confidence), url: encyclopaedia[label].map { "/breeds/\($0.id)" })
    }

    /// The article's name; a label without an article reads as plain words.
    func name(_ label: String) -> String {
        if let article = encyclopaedia[label] { return article.name[language] }
        let words = label.replacing("_", with: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    /// One decimal, as people read it: `91.2%`.
    static func percent(_ share: Double) -> String {
        let tenths = Int((min(max(share, 0), 1) * 1000).rounded())
        return "\(tenths / 10).\(tenths % 10)%"
    }
}
