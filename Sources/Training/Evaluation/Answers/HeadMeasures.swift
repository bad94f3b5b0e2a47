/// The measures of one head. Shares are 0…1. Macro means are over the classes that have photos.
package struct HeadMeasures: Sendable, Equatable, Codable {
    /// One frequent mistake.
    package struct Confusion: Sendable, Equatable, Codable {
        package let label: String
        package let answer: String
        package let photos: Int
    }

    package let photos: Int
    /// The number of classes that have photos.
    package let classes: Int
    /// The share of photos whose likeliest label is right.
    package let top1: Double
    /// Half of the width of ``top1``'s 95 % interval.
    package let top1Interval: Double
    /// The share of photos whose label is among the three likeliest.
    package let top3: Double
    package let macroF1: Double
    package let precision: Double
    package let recall: Double
    /// The mean over the classes of one class against the rest. Nil if there is only one class.
    package let rocAUC: Double?
    /// The expected calibration error of the likeliest label, with 15 bins.
    package let calibrationError: Double
    package let mostConfused: [Confusion]

    private enum CodingKeys: String, CodingKey {
        case photos, classes, top1, top1Interval, top3, macroF1, precision, recall, rocAUC, mostConfused
        case calibrationError = "ece"
    }
}
