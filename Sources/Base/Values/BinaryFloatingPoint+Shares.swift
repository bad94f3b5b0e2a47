extension BinaryFloatingPoint {
    /// The number with four decimals. More would claim too much precision. As a fraction they are half a pixel of the
    /// largest photos.
    package var rounded4: Double { (Double(self) * 10_000).rounded() / 10_000 }

    /// The percentage of a share with one decimal, and with a point in every language: `91.2%`.
    package var percent: String {
        let tenths = Int(clamping: (min(max(0, Double(self)), 1) * 1000).rounded())
        return "\(tenths / 10).\(tenths % 10)%"
    }
}
