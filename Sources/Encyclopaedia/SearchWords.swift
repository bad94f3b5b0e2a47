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
