/// The literal segments below a node of the router's trie. It is an open hash table over bytes, so that a look-up makes
/// no String and costs the same however many segments there are.
struct SegmentTable: Sendable {
    private struct Entry {
        var segment: [UInt8] = []
        /// A negative number marks a free place.
        var child = -1
    }

    private var entries: [Entry] = []
    private var count = 0

    subscript(_ segment: UnsafeBufferPointer<UInt8>) -> Int? {
        if count == 0 { return nil }
        let child = entries[place(of: segment)].child
        return child < 0 ? nil : child
    }

    mutating func insert(_ segment: [UInt8], _ child: Int) {
        if (count + 1) * 2 > entries.count { grow() }
        let place = segment.withUnsafeBufferPointer { self.place(of: $0) }
        if entries[place].child < 0 { count += 1 }
        entries[place] = Entry(segment: segment, child: child)
    }

    /// The place that holds the segment, or would hold it.
    private func place(of segment: UnsafeBufferPointer<UInt8>) -> Int {
        let mask = entries.count - 1
        var place = Int(truncatingIfNeeded: Self.hash(segment)) & mask
        while entries[place].child >= 0, !Self.areEqual(entries[place].segment, segment) { place = (place + 1) & mask }
        return place
    }

    @inline(__always)
    private static func areEqual(_ left: [UInt8], _ right: UnsafeBufferPointer<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        for index in 0..<right.count where left[index] != right[index] { return false }
        return true
    }

    private mutating func grow() {
        let old = entries
        entries = [Entry](repeating: Entry(), count: max(8, old.count * 2))
        for entry in old where entry.child >= 0 {
            entries[entry.segment.withUnsafeBufferPointer { place(of: $0) }] = entry
        }
    }

    /// FNV-1a. Only the routes' own segments are stored, so no client can make them collide.
    private static func hash(_ segment: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in segment { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return hash ^ (hash >> 32)
    }
}
