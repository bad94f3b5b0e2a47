import FoundationEssentials

/// The text that is being written.
final class JSONOutput {
    private(set) var bytes: [UInt8] = []
    let date: (Date) -> String
    private let usesSnakeCase: Bool

    init(usesSnakeCase: Bool, date: @escaping (Date) -> String) {
        self.usesSnakeCase = usesSnakeCase
        self.date = date
        bytes.reserveCapacity(4_096)
    }

    func put(_ text: String) { bytes += text.utf8 }

    /// Appends a name and its colon.
    func putKey(_ name: String, isDictionaryKey: Bool) {
        if usesSnakeCase, !isDictionaryKey, name.utf8.contains(where: Self.isUpper) {
            put("\"")
            for byte in name.utf8 {
                if Self.isUpper(byte) { put("_") }
                bytes.append(Self.isUpper(byte) ? byte | 0x20 : byte)
            }
            put("\"")
        } else {
            putString(name)
        }
        put(":")
    }

    private static func isUpper(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }

    func putString(_ text: String) { JSONText.append(text, to: &bytes) }

    /// Appends the shortest text that reads as the same number. Whole numbers have no fraction.
    func putNumber(_ text: String) {
        bytes += text.utf8
        if text.hasSuffix(".0") { bytes.removeLast(2) }
    }

    /// Sorts the members of an object by their keys.
    ///
    /// - Parameters:
    ///   - members: the key and the index of the first byte of each, in the order of the bytes.
    ///   - start: the index of the first member. A comma separates two members, and the last ends the text.
    func sort(_ members: [(key: String, start: Int)]) {
        guard let first = members.first?.start, !zip(members, members.dropFirst()).allSatisfy({ $0.key < $1.key })
        else { return }
        let ends = members.dropFirst().map { $0.start - 1 } + [bytes.count]
        let pieces = zip(members, ends).map { (key: $0.key, bytes: bytes[$0.start..<$1]) }.sorted { $0.key < $1.key }
        bytes.replaceSubrange(first..., with: Array(pieces.map(\.bytes).joined(separator: [UInt8(ascii: ",")])))
    }
}
