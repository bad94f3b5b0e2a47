internal import Foundation

/// Capital letters of 5 × 7 dots, so that names can be written into pictures without installed fonts. They cover
/// English, Finnish and every name that the product itself gives.
package enum Glyphs {
    static let width = 5
    static let height = 7

    /// The rows of a letter from top to bottom. Bit 4 is the leftmost dot. A letter with an unknown mark is drawn
    /// without the mark, any other unknown character as a question mark.
    static func rows(of character: Character) -> [UInt8] {
        table[character] ?? table[plain(character)] ?? unknown
    }

    /// Whether a capital letter is drawn with all its marks.
    package static func has(_ character: Character) -> Bool { table[character] != nil }

    /// The letter without marks: `O` for `Ő`.
    private static func plain(_ character: Character) -> Character {
        String(character).decomposedStringWithCanonicalMapping.unicodeScalars.first.map(Character.init) ?? character
    }

    private static let unknown: [UInt8] = [14, 17, 1, 2, 4, 0, 4]

    private static let table: [Character: [UInt8]] = [
        " ": [0, 0, 0, 0, 0, 0, 0], "A": [14, 17, 17, 31, 17, 17, 17], "B": [30, 17, 17, 30, 17, 17, 30],
        "C": [14, 17, 16, 16, 16, 17, 14], "D": [30, 17, 17, 17, 17, 17, 30], "E": [31, 16, 16, 30, 16, 16, 31],
        "F": [31, 16, 16, 30, 16, 16, 16], "G": [14, 17, 16, 23, 17, 17, 15], "H": [17, 17, 17, 31, 17, 17, 17],
        "I": [14, 4, 4, 4, 4, 4, 14], "J": [7, 2, 2, 2, 2, 18, 12], "K": [17, 18, 20, 24, 20, 18, 17],
        "L": [16, 16, 16, 16, 16, 16, 31], "M": [17, 27, 21, 21, 17, 17, 17], "N": [17, 17, 25, 21, 19, 17, 17],
        "O": [14, 17, 17, 17, 17, 17, 14], "P": [30, 17, 17, 30, 16, 16, 16], "Q": [14, 17, 17, 17, 21, 18, 13],
        "R": [30, 17, 17, 30, 20, 18, 17], "S": [15, 16, 16, 14, 1, 1, 30], "T": [31, 4, 4, 4, 4, 4, 4],
        "U": [17, 17, 17, 17, 17, 17, 14], "V": [17, 17, 17, 17, 17, 10, 4], "W": [17, 17, 17, 21, 21, 21, 10],
        "X": [17, 17, 10, 4, 10, 17, 17], "Y": [17, 17, 17, 10, 4, 4, 4], "Z": [31, 1, 2, 4, 8, 16, 31],
        "Ä": [10, 0, 14, 17, 31, 17, 17], "Ö": [10, 0, 14, 17, 17, 17, 14], "Å": [4, 0, 14, 17, 31, 17, 17],
        "0": [14, 17, 19, 21, 25, 17, 14], "1": [4, 12, 4, 4, 4, 4, 14], "2": [14, 17, 1, 2, 4, 8, 31],
        "3": [31, 2, 4, 2, 1, 17, 14], "4": [2, 6, 10, 18, 31, 2, 2], "5": [31, 16, 30, 1, 1, 17, 14],
        "6": [6, 8, 16, 30, 17, 17, 14], "7": [31, 1, 2, 4, 8, 8, 8], "8": [14, 17, 17, 14, 17, 17, 14],
        "9": [14, 17, 17, 15, 1, 2, 12], "%": [24, 25, 2, 4, 8, 19, 3], "-": [0, 0, 0, 31, 0, 0, 0],
        ".": [0, 0, 0, 0, 0, 12, 12], ",": [0, 0, 0, 0, 12, 4, 8], "'": [12, 4, 8, 0, 0, 0, 0],
        "(": [2, 4, 8, 8, 8, 4, 2], ")": [8, 4, 2, 2, 2, 4, 8], ":": [0, 12, 12, 0, 12, 12, 0],
        "_": [0, 0, 0, 0, 0, 0, 31], "/": [1, 1, 2, 4, 8, 16, 16], ";": [0, 12, 12, 0, 12, 4, 8],
        "&": [8, 20, 20, 8, 21, 18, 13], "+": [0, 4, 4, 31, 4, 4, 0], "–": [0, 0, 0, 31, 0, 0, 0],
        "’": [12, 4, 8, 0, 0, 0, 0],
        // Letters with a mark are two dots lower.
        "Á": [2, 4, 14, 17, 31, 17, 17], "Ç": [14, 17, 16, 17, 14, 4, 8], "È": [8, 4, 31, 16, 30, 16, 31],
        "É": [2, 4, 31, 16, 30, 16, 31], "Í": [2, 4, 14, 4, 4, 4, 14], "Ñ": [13, 18, 17, 25, 21, 19, 17],
        "Ó": [2, 4, 14, 17, 17, 17, 14], "Š": [10, 4, 15, 16, 14, 1, 30], "Ú": [2, 4, 17, 17, 17, 17, 14],
        "Ü": [10, 0, 17, 17, 17, 17, 14], "Ž": [10, 4, 31, 2, 4, 8, 31],
    ]
}
