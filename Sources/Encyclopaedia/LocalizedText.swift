package import Base

/// A text in English and, where there is one, in Finnish.
package struct LocalizedText: Sendable, Codable, Equatable {
    package let en: String
    package let fi: String?

    /// The text in this language, in English where it has not been written.
    package subscript(language: Language) -> String {
        switch language {
        case .english: en
        case .finnish: fi ?? en
        }
    }

    /// Whether the text exists in this language.
    package func isWritten(in language: Language) -> Bool {
        language == .english || fi != nil
    }
}
