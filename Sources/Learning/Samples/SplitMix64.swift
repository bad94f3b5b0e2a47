/// A generator that gives the same random numbers for the same seed on every machine (Steele, Lea and Flood 2014,
/// SplitMix64).
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number of 0 ..< bound, each equally likely (Lemire 2019). The standard library's method may change with its
    /// version.
    package mutating func below(_ bound: Int) -> Int {
        let bound = UInt64(max(1, bound))
        var product = next().multipliedFullWidth(by: bound)
        if product.low < bound {
            let threshold = (0 &- bound) % bound
            while product.low < threshold { product = next().multipliedFullWidth(by: bound) }
        }
        return Int(product.high)
    }

    /// The elements in random order (Fisher and Yates).
    package mutating func shuffled<Element>(_ elements: [Element]) -> [Element] {
        var elements = elements
        for index in stride(from: elements.count - 1, to: 0, by: -1) { elements.swapAt(index, below(index + 1)) }
        return elements
    }
}
