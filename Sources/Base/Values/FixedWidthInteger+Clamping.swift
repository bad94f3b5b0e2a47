extension FixedWidthInteger {
    /// The value rounded towards zero, clamped to the type's range, and 0 for NaN. It is for numbers from files,
    /// messages, clients and clocks, on which `Int(value)` can end the process. If such a number is an error, use
    /// `Int(exactly: value.rounded())`.
    package init(clamping value: some BinaryFloatingPoint) {
        guard !value.isNaN else {
            self = 0
            return
        }
        self = Self(exactly: value.rounded(.towardZero)) ?? (value < 0 ? .min : .max)
    }
}
