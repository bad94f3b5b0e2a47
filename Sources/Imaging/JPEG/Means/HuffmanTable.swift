/// One Huffman table of a JPEG (ITU-T T.81 Annex C), made for reading past coefficients rather than for reading them.
///
/// Entries of ``skips`` cover as many whole symbols, each with the bits that follow it, as fit into the next
/// ``window`` bits. Nobody wants the values, so several symbols cost one look-up; that is what makes a 1/8 decode of a
/// large photo several times as fast as through a library that resolves each.
final class HuffmanTable {
    /// Bits that a look-up sees.
    static let window = 13

    /// By the next ``window`` bits, for tables of AC coefficients.
    let skips: UnsafePointer<Skip>
    /// By the next ``window`` bits: length of the code in the high byte, symbol in the low one; 0 for a longer code.
    let codes: UnsafePointer<UInt16>
    /// By length: the first code, the first symbol's place, and how many codes there are.
    private let firstCodes: [Int]
    private let firstSymbols: [Int]
    private let counts: [Int]
    private let symbols: [UInt8]

    /// - Parameters:
    ///   - counts: how many codes have 1, 2, … 16 bits.
    ///   - symbols: in the order of their codes.
    /// - Returns: nil when there are more codes than such lengths allow.
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
                // The code of only ones is reserved (Annex C.2), and no code may be longer than its bits.
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

    /// The same in memory that is reached without a count of references: it is read millions of times a photo.
    private static func keep<Element>(_ elements: [Element]) -> UnsafePointer<Element> {
        let memory = UnsafeMutablePointer<Element>.allocate(capacity: max(1, elements.count))
        memory.initialize(from: elements, count: elements.count)
        return UnsafePointer(memory)
    }

    /// A code of any length up to 16 from the highest bits.
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
                // Bits beyond the window are not known; what is shifted in are zeros.
                guard next.bits > 0, bits <= window, coefficients <= 63 else { break }
                all = Skip(bits: bits, coefficients: coefficients, ends: next.ends)
            }
            return all
        }
    }
}

extension HuffmanTable {
    /// A table without a reference to it; good as long as that lives.
    struct Pointers {
        let skips: UnsafePointer<Skip>
        private let codes: UnsafePointer<UInt16>
        private let owner: Unmanaged<HuffmanTable>

        fileprivate init(_ table: HuffmanTable) {
            codes = table.codes
            skips = table.skips
            owner = .passUnretained(table)
        }

        /// The symbol that the highest bits begin with.
        @inline(__always)
        func symbol(_ bits: UInt64) -> Symbol {
            let entry = codes[Int(bits &>> UInt64(64 - HuffmanTable.window))]
            if entry != 0 { return Symbol(length: Int(entry &>> 8), value: Int(entry & 255)) }
            return owner.takeUnretainedValue().longSymbol(bits)
        }
    }

    var pointers: Pointers { Pointers(self) }

    /// One code.
    struct Symbol {
        /// Of the code in bits; 0 where there is none like that.
        let length: Int
        let value: Int

        @inline(__always) var isThere: Bool { length > 0 }
        /// Of an AC table: bits of the code and of the coefficient behind it.
        @inline(__always) var bits: Int { length &+ (value & 15) }
        /// Of an AC table: whether the block ends with it.
        @inline(__always) var ends: Bool { value & 15 == 0 && value != 0xF0 }
        /// Of an AC table: zeros, of which the high half tells, and the coefficient behind them.
        @inline(__always) var coefficients: Int { ends ? 0 : value &>> 4 &+ 1 }
    }

    /// What the bits of a look-up mean, in two bytes: more would not stay in the first cache.
    struct Skip {
        private let word: UInt16

        /// - Parameters:
        ///   - bits: how many are consumed, up to 15; 0 where the first symbol does not fit into the window.
        ///   - coefficients: how many are passed, up to 63.
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
