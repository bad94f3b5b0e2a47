extension BinaryFloatingPoint {
    /// The number with four decimals. More would claim too much precision. As a fraction they are half a pixel of the
    /// largest photos.
    package var rounded4: Double { rounded(to: 10_000) }

    /// The number with six, three, two or one decimals.
    package var rounded6: Double { rounded(to: 1_000_000) }
    package var rounded3: Double { rounded(to: 1000) }
    package var rounded2: Double { rounded(to: 100) }
    package var rounded1: Double { rounded(to: 10) }

    private func rounded(to parts: Double) -> Double { (Double(self) * parts).rounded() / parts }

    /// The percentage of a share with one decimal, and with a point in every language: `91.2%`.
    package var percent: String {
        let tenths = Int(clamping: (min(max(0, Double(self)), 1) * 1000).rounded())
        return "\(tenths / 10).\(tenths % 10)%"
    }
}

/// A number with its noun in English: `1 scan`, `2 scans`, `0 scans`.
///
/// - Parameters:
///   - singular: the word for one.
///   - plural: the word for any other number; nil adds an s to the singular.
package func counted(_ count: Int, _ singular: String, _ plural: String? = nil) -> String {
    "\(count) \(count == 1 ? singular : plural ?? singular + "s")"
}
