private import Foundation

extension String {
    /// The text with U+FFFD in the place of line ends and of characters that would steer the terminal. Names of files
    /// may have them.
    package var printable: String {
        let steering = CharacterSet.controlCharacters.union(.newlines)
        return String(String.UnicodeScalarView(unicodeScalars.map { steering.contains($0) ? "\u{FFFD}" : $0 }))
    }
}
