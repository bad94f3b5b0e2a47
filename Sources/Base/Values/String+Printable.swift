package import Foundation

extension String {
    /// The text with U+FFFD in the place of line ends and of characters that would steer the terminal. Names of files
    /// may have them.
    package var printable: String {
        String(String.UnicodeScalarView(unicodeScalars.map { CharacterSet.steering.contains($0) ? "\u{FFFD}" : $0 }))
    }
}

extension CharacterSet {
    /// Line ends and the characters that would steer the terminal.
    package static let steering = controlCharacters.union(.newlines).subtracting(joiners)
    /// Words in Persian and Hindi, and emoji of families, have them inside.
    package static let joiners: CharacterSet = ["\u{200C}", "\u{200D}"]
}
