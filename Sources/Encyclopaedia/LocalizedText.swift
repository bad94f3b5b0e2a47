package import Base

/// A text in English and perhaps in Finnish.
package struct LocalizedText: Sendable, Codable, Equatable {
    package let en: String
    package let fi: String?

    /// The text in this language, or in English if it is not translated.
    package subscript(language: Language) -> String {
        switch language {
        case .english: en
        case .finnish: fi ?? en
        }
    }

    package func isWritten(in language: Language) -> Bool {
        language == .english || fi != nil
    }
}
