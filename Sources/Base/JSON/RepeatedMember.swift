package import Foundation

/// Finds a member that an object of a JSON or JSON5 document has twice. Foundation takes one of them without a word.
package enum RepeatedMember {
    private struct Level {
        /// The members so far. Nil in an array.
        var names: Set<String>?
        /// The last member.
        var name = ""
        /// Whether a name comes next, and not a value.
        var isBeforeName = true
    }

    /// - Parameter document: valid JSON5.
    /// - Returns: the dotted name, such as `http.port`. Nil if nothing is repeated.
    package static func first(in document: Data) -> String? {
        let bytes = [UInt8](document)
        var levels: [Level] = []
        var index = 0
        while index < bytes.count {
            let start = index
            index += 1
            switch bytes[start] {
            case UInt8(ascii: "{"): levels.append(Level(names: []))
            case UInt8(ascii: "["): levels.append(Level(names: nil))
            case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = levels.popLast()
            case UInt8(ascii: ","): if !levels.isEmpty { levels[levels.count - 1].isBeforeName = true }
            case UInt8(ascii: ":"): if !levels.isEmpty { levels[levels.count - 1].isBeforeName = false }
            case UInt8(ascii: "/"): index = endOfComment(bytes, from: start)
            default:
                index = endOfText(bytes, from: start)
                guard let level = levels.last, level.isBeforeName, level.names != nil else { continue }
                let name = name(bytes[start..<index])
                if name.isEmpty { continue }
                levels[levels.count - 1].name = name
                guard levels[levels.count - 1].names?.insert(name).inserted == true else {
                    return levels.map(\.name).joined(separator: ".")
                }
            }
        }
        return nil
    }

    private static let delimiters = Set("{}[],:/\"'".utf8)
    /// What may be around a name without belonging to it: quotes and blanks.
    private static let around = CharacterSet.whitespacesAndNewlines.union(["\"", "'"])

    /// The name as it is compared: without the escapes of its characters.
    private static func name(_ text: ArraySlice<UInt8>) -> String {
        let name = String(decoding: text, as: UTF8.self).trimmingCharacters(in: around)
        guard name.contains("\\") else { return name }
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        return (try? decoder.decode(String.self, from: Data("\"\(name)\"".utf8))) ?? name
    }

    private static func endOfComment(_ bytes: [UInt8], from start: Int) -> Int {
        let rest = bytes[start...]
        if rest.starts(with: "/*".utf8) {
            let end = rest.indices.dropFirst(2).first { bytes[$0...].starts(with: "*/".utf8) }
            return end.map { $0 + 2 } ?? bytes.count
        }
        return rest.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count
    }

    /// The end of a quoted text, or of a number, a word or blanks.
    private static func endOfText(_ bytes: [UInt8], from start: Int) -> Int {
        guard bytes[start] == UInt8(ascii: "\"") || bytes[start] == UInt8(ascii: "'") else {
            return bytes[start...].firstIndex(where: delimiters.contains) ?? bytes.count
        }
        var index = start + 1
        while index < bytes.count, bytes[index] != bytes[start] { index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1 }
        return min(index + 1, bytes.count)
    }
}
