/// A Huffman table of a JPEG (ITU-T T.81 Annex C), made for skipping coefficients rather than for reading them.
///
/// An entry of ``skips`` covers as many whole symbols, each with the bits after it, as fit into the next ``window``
/// bits. The values are not needed, so one look-up skips several symbols. That makes a 1/8 decode of a large photo
/// several times as fast as with a library that decodes each symbol.
final class HuffmanTable {
    /// The number of bits in a look-up.
    static let window = 13

    /// The skips for each value of the next ``window`` bits, for tables of AC coefficients.
    let skips: UnsafePointer<Skip>
    /// For each ``window`` bits, the code's length in the high byte and its symbol in the low one; 0 for longer codes.
    let codes: UnsafePointer<UInt16>
    /// The first code, the index of the first symbol, and the number of codes, for each length.
    private let firstCodes: [Int]
    private let firstSymbols: [Int]
    private let counts: [Int]
    private let symbols: [UInt8]

    /// - Parameters:
    ///   - counts: the numbers of codes with 1, 2, … 16 bits.
    ///   - symbols: the symbols in the order of their codes.
    /// - Returns: nil if there are more codes than their lengths allow.
    init?(counts: ArraySlice<UInt8>, symbols: ArraySlice<UInt8>, isAC: Bool) {
        self.counts = [0] + counts.map(Int.init)
        self.symbols = Array(symbols)
        var codes = [UInt16](repeating: 0, count: 1 << Self.window)
        var firstCodes = [0]
        var firstSymbols = [0]
        var code = 0
        var place = 0
        for length in 1...16 {
            firstCodes.append(code)
            firstSymbols.append(place)
            for _ in 0..<self.counts[length] {
                // A code of only ones is reserved (Annex C.2), and no code may overflow its length.
                guard code < 1 << length, place < symbols.count else { return nil }
                if length <= Self.window {
                    let shift = Self.window - length
                    let entry = UInt16(length) << 8 | UInt16(self.symbols[place])
                    for index in code << shift..<(code + 1) << shift { codes[index] = entry }
                }
                code += 1
                place += 1
            }
            code <<= 1
        }
        self.firstCodes = firstCodes
        self.firstSymbols = firstSymbols
        self.codes = Self.keep(codes)
        skips = Self.keep(isAC ? Self.skips(codes) : [])
    }

    deinit {
        codes.deallocate()
        skips.deallocate()
    }

    /// The same elements in memory without reference counting, because they are read millions of times per photo.
    private static func keep<Element>(_ elements: [Element]) -> UnsafePointer<Element> {
        let memory = UnsafeMutablePointer<Element>.allocate(capacity: max(1, elements.count))
        memory.initialize(from: elements, count: elements.count)
        return UnsafePointer(memory)
    }

    /// Finds a code of any length up to 16 in the highest bits.
    @inline(never)
    fileprivate func longSymbol(_ bits: UInt64) -> Symbol {
        for length in 1...16 {
            let offset = Int(bits >> UInt64(64 - length)) - firstCodes[length]
            if offset >= 0, offset < counts[length] {
                return Symbol(length: length, value: Int(symbols[firstSymbols[length] + offset]))
            }
        }
        return Symbol(length: 0, value: 0)
    }

    private static func skips(_ codes: [UInt16]) -> [Skip] {
        let single = codes.map { entry -> Skip in
            guard entry != 0 else { return .none }
            let symbol = Symbol(length: Int(entry >> 8), value: Int(entry & 255))
            return symbol.bits <= window
                ? Skip(bits: symbol.bits, coefficients: symbol.coefficients, ends: symbol.ends) : .none
        }
        return single.indices.map { index in
            var all = single[index]
            while all.bits > 0, !all.ends {
                let next = single[(index << all.bits) & (codes.count - 1)]
                let (bits, coefficients) = (all.bits + next.bits, all.coefficients + next.coefficients)
                // Bits beyond the window are unknown. The shift fills them with zeros.
                guard next.bits > 0, bits <= window, coefficients <= 63 else { break }
                all = Skip(bits: bits, coefficients: coefficients, ends: next.ends)
            }
            return all
        }
    }
}

extension HuffmanTable {
    /// A table without a reference to it. It is valid as long as the table lives.
    struct Pointers {
        let skips: UnsafePointer<Skip>
        private let codes: UnsafePointer<UInt16>
        private let owner: Unmanaged<HuffmanTable>

        fileprivate init(_ table: HuffmanTable) {
            codes = table.codes
            skips = table.skips
            owner = .passUnretained(table)
        }

        /// The symbol at the beginning of the highest bits.
        @inline(__always)
        func symbol(_ bits: UInt64) -> Symbol {
            let entry = codes[Int(bits &>> UInt64(64 - HuffmanTable.window))]
            if entry != 0 { return Symbol(length: Int(entry &>> 8), value: Int(entry & 255)) }
            return owner.takeUnretainedValue().longSymbol(bits)
        }
    }

    var pointers: Pointers { Pointers(self) }

    struct Symbol {
        /// The length of the code in bits; 0 if there is no such code.
        let length: Int
        let value: Int

        @inline(__always) var isThere: Bool { length > 0 }
        /// The bits of the code and of the coefficient after it, in an AC table.
        @inline(__always) var bits: Int { length &+ (value & 15) }
        /// Whether the symbol ends its block, in an AC table.
        @inline(__always) var ends: Bool { value & 15 == 0 && value != 0xF0 }
        /// The number of zeros (the high half) and the coefficient after them, in an AC table.
        @inline(__always) var coefficients: Int { ends ? 0 : value &>> 4 &+ 1 }
    }

    /// The meaning of a look-up's bits, in two bytes so that the table stays in the first-level cache.
    struct Skip {
        private let word: UInt16

        /// - Parameters:
        ///   - bits: the bits consumed, up to 15; 0 if the first symbol does not fit into the window.
        ///   - coefficients: the coefficients skipped, up to 63.
        ///   - ends: whether the block ends after them.
        init(bits: Int, coefficients: Int, ends: Bool) {
            word = UInt16(bits | coefficients << 4 | (ends ? 1 << 15 : 0))
        }

        static let none = Skip(bits: 0, coefficients: 0, ends: false)

        @inline(__always) var bits: Int { Int(word & 15) }
        @inline(__always) var coefficients: Int { Int(word &>> 4 & 63) }
        @inline(__always) var ends: Bool { Int16(bitPattern: word) < 0 }
    }
}
