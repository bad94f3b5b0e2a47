import Foundation

/// Splits a text into the words that a search compares: lower-case letters and digits without diacritics or
/// apostrophes, so that `Pallas's` equals `pallass`.
enum SearchWords {
    static func of(_ text: String) -> [String] {
        var words: [String] = []
        var word: [UInt8] = []
        var isASCII = true
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): word.append(byte)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): word.append(byte | 0x20)
            case UInt8(ascii: "'"): break
            case 0x80...:
                word.append(byte)
                isASCII = false
            default:
                end(&word, isASCII, &words)
                isASCII = true
            }
        }
        end(&word, isASCII, &words)
        return words
    }

    /// Nearly all words are ASCII, which needs no folding.
    private static func end(_ word: inout [UInt8], _ isASCII: Bool, _ words: inout [String]) {
        guard !word.isEmpty else { return }
        let text = String(decoding: word, as: UTF8.self)
        word.removeAll(keepingCapacity: true)
        if isASCII {
            words.append(text)
        } else {
            words += text.replacing("’", with: "")
                .folding(options: [.diacriticInsensitive, .caseInsensitive], locale: nil)
                .split { !$0.isLetter && !$0.isNumber }
                .map(String.init)
        }
    }
}

/// All runs of three characters in some words, where each word includes the spaces around it.
struct Trigrams: Hashable, Sendable {
    /// Three Unicode scalars of 21 bits each, sorted, each run once. They are numbers, because comparing texts would
    /// take most of a search.
    private let packed: [UInt64]

    init(_ words: [String]) {
        let scalars = Array(("  " + words.joined(separator: " ") + " ").unicodeScalars.map { UInt64($0.value) })
        let all = scalars.indices.dropLast(2).map { scalars[$0] << 42 | scalars[$0 + 1] << 21 | scalars[$0 + 2] }
        packed = Set(all).sorted()
    }

    /// Dice's coefficient, 0 to 1: twice the common trigrams over all trigrams.
    func similarity(to other: Trigrams) -> Double {
        var (common, left, right) = (0, 0, 0)
        while left < packed.count, right < other.packed.count {
            if packed[left] == other.packed[right] {
                common += 1
                left += 1
                right += 1
            } else if packed[left] < other.packed[right] {
                left += 1
            } else {
                right += 1
            }
        }
        return 2 * Double(common) / Double(packed.count + other.packed.count)
    }
}
