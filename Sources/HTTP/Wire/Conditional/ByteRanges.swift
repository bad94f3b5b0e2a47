/// The value of a Range field in bytes (RFC 9110 §14.1.2, §14.2).
package struct ByteRanges: Hashable, Sendable {
    /// A range as the client asks for it.
    package enum Specification: Hashable, Sendable {
        /// From a first to a last position, both included; nil means the end.
        case from(Int, through: Int?)
        /// The given number of bytes before the end.
        case suffix(Int)
    }

    /// The answer to the ranges.
    package enum Selection: Hashable, Sendable {
        /// 200 with the whole content. Too many or too overlapping pieces make it ignore the field (§14.2).
        case whole
        /// 206 with these ranges. They do not overlap, and keep the order of the request.
        case ranges([Range<Int>])
        /// 416.
        case unsatisfiable
    }

    /// The largest number of ranges. A field with more is ignored.
    package static let maximumCount = 32

    package let specifications: [Specification]

    /// Reads a field. The result is nil for another unit, a malformed value, or more than ``maximumCount`` ranges; the
    /// field must be ignored then. Positions beyond the largest Int become the largest Int.
    package init?(_ value: String) {
        let bytes = Array(value.utf8)
        guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")),
            bytes[..<equals].map(ByteClass.lowercased).elementsEqual("bytes".utf8)
        else { return nil }
        var specifications: [Specification] = []
        for element in bytes[(equals + 1)...].split(separator: UInt8(ascii: ",")) {
            let text = WeightedList.trimmed(element)
            if text.isEmpty { continue }
            guard specifications.count < Self.maximumCount, let specification = Self.specification(text) else {
                return nil
            }
            specifications.append(specification)
        }
        guard !specifications.isEmpty else { return nil }
        self.specifications = specifications
    }

    /// Applies the ranges to a representation.
    /// - Parameter length: the length of the representation, in bytes.
    package func selection(length: Int) -> Selection {
        let ranges = specifications.compactMap { Self.range($0, length: length) }
        guard !ranges.isEmpty else { return .unsatisfiable }
        // A suffix of an empty representation is satisfiable, but Content-Range cannot express it.
        guard length > 0 else { return .whole }
        var overlaps = 0
        for index in ranges.indices {
            overlaps += ranges[..<index].count { $0.overlaps(ranges[index]) }
        }
        return overlaps > 2 ? .whole : .ranges(Self.coalesced(ranges))
    }

    private static func specification(_ text: ArraySlice<UInt8>) -> Specification? {
        guard let dash = text.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let (first, last) = (text[..<dash], text[(dash + 1)...])
        if first.isEmpty { return position(last).map { .suffix($0) } }
        guard let start = position(first) else { return nil }
        if last.isEmpty { return .from(start, through: nil) }
        guard let end = position(last), end >= start else { return nil }
        return .from(start, through: end)
    }

    private static func position(_ digits: ArraySlice<UInt8>) -> Int? {
        guard !digits.isEmpty, digits.allSatisfy(ByteClass.isDigit) else { return nil }
        return Int(String(decoding: digits, as: UTF8.self)) ?? .max
    }

    /// The range of positions; nil if it cannot be satisfied.
    private static func range(_ specification: Specification, length: Int) -> Range<Int>? {
        switch specification {
        case .from(let first, let last):
            guard first < length else { return nil }
            return first..<(min(last ?? .max, length - 1) + 1)
        case .suffix(let count):
            return count > 0 ? max(0, length - count)..<length : nil
        }
    }

    /// Joins ranges that overlap, in the place of the earlier one.
    private static func coalesced(_ ranges: [Range<Int>]) -> [Range<Int>] {
        var result: [Range<Int>] = []
        for range in ranges {
            var joined = range
            var place = result.count
            while let index = result.firstIndex(where: { $0.overlaps(joined) }) {
                let other = result.remove(at: index)
                joined = min(joined.lowerBound, other.lowerBound)..<max(joined.upperBound, other.upperBound)
                place = min(place, index)
            }
            result.insert(joined, at: min(place, result.count))
        }
        return result
    }
}
