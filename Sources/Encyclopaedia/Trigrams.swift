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
