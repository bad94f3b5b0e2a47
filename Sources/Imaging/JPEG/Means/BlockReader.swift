/// Reads DC coefficients and skips AC coefficients (ITU-T T.81 Annex F.2.2).
struct BlockReader {
    private let base: UnsafeRawPointer
    /// The position in bits from the base.
    private(set) var bit: Int

    /// - Parameter base: bytes that continue far beyond the last block, see ``JPEGScan/padding``.
    init(_ base: UnsafeRawPointer, bit: Int) {
        self.base = base
        self.bit = bit
    }

    /// Reads one block.
    ///
    /// - Parameter difference: receives the difference of its DC coefficient from that of the block before.
    /// - Returns: whether all its codes exist.
    @inline(__always)
    mutating func block(_ dc: HuffmanTable.Pointers, _ ac: HuffmanTable.Pointers, difference: inout Int32) -> Bool {
        var window = load(bit)
        let symbol = dc.symbol(window)
        guard symbol.isThere, symbol.value <= 15 else { return false }
        let size = symbol.value
        // The two shifts keep a size of 0 from shifting by 64.
        let value = Int32(truncatingIfNeeded: ((window &<< symbol.length) &>> 1) &>> (63 &- size))
        // A value whose first bit is 0 is negative.
        let isNegative: Int32 = size > 0 && value &>> (size &- 1) == 0 ? 1 : 0
        difference = value &- isNegative &* ((1 &<< size) &- 1)
        window &<<= symbol.length &+ size
        var position = bit &+ symbol.length &+ size
        // One load is enough for a DC coefficient and two windows, or for four windows.
        var windows = 2
        var coefficient = 1
        while true {
            for _ in 0..<windows {
                let skip = ac.skips[Int(window &>> (64 &- HuffmanTable.window))]
                let next = coefficient &+ skip.coefficients
                if skip.bits == 0 || next > 63 { break }
                window &<<= skip.bits
                position &+= skip.bits
                coefficient = next
                if skip.ends {
                    bit = position
                    return true
                }
            }
            window = load(position)
            windows = 4
            let skip = ac.skips[Int(window &>> (64 &- HuffmanTable.window))]
            if skip.bits > 0, coefficient &+ skip.coefficients <= 63 { continue }
            // This is a long symbol, or a symbol after the last coefficient, which belongs to the next block.
            let symbol = ac.symbol(window)
            guard symbol.isThere else { return false }
            position &+= symbol.bits
            coefficient &+= symbol.coefficients
            if symbol.ends || coefficient > 63 { break }
            window = load(position)
        }
        bit = position
        return true
    }

    @inline(__always)
    private func load(_ bit: Int) -> UInt64 {
        (base + bit &>> 3).loadUnaligned(as: UInt64.self).bigEndian &<< UInt64(truncatingIfNeeded: bit & 7)
    }
}
