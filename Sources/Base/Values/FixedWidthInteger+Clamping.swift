extension FixedWidthInteger {
    /// The whole number next to zero from a value, the least or greatest one where that is beyond all, 0 where it is not a
    /// number: for numbers that came from files, messages, clients and clocks, over which `Int(value)` ends the process.
    /// Where such a number is an error, `Int(exactly: value.rounded())` is nil.
    package init(clamping value: some BinaryFloatingPoint) {
        guard !value.isNaN else {
            self = 0
            return
        }
        self = Self(exactly: value.rounded(.towardZero)) ?? (value < 0 ? .min : .max)
    }
}
