import Base

/// A reason why a trained model or its measures may be worse than they seem.
package struct TrainingWarning: Codable, Sendable, Hashable {
    /// A stable code for programs.
    package enum Code: String, Codable, Sendable, CaseIterable {
        case nothingHeldOut = "nothing-held-out"
        case fewHeldOut = "few-held-out"
        case classesNotHeldOut = "classes-not-held-out"
        case fewPhotos = "few-photos"
        case nearDuplicatesMeasured = "near-duplicates-measured"
    }

    package let code: Code
    /// An English sentence.
    package let detail: String
    /// The number of photos concerned.
    package let count: Int?
    package let classes: [String]?

    private init(_ code: Code, _ detail: String, count: Int? = nil, classes: [String]? = nil) {
        (self.code, self.detail, self.count, self.classes) = (code, detail, count, classes)
    }

    static let nothingHeldOut = TrainingWarning(
        .nothingHeldOut,
        "No photos were held out, so nothing was measured, and the confidence of the answers is not calibrated.")

    static func fewHeldOut(_ count: Int) -> TrainingWarning {
        TrainingWarning(
            .fewHeldOut,
            "Only \(counted(count, "photo was", "photos were")) held out, so accuracy and calibration are rough "
                + "estimates.", count: count)
    }

    static func notHeldOut(_ classes: [String]) -> TrainingWarning {
        TrainingWarning(
            .classesNotHeldOut,
            "Not measured, because no photos could be held out: \(classes.joined(separator: ", ")).", classes: classes)
    }

    /// - Parameter count: the number of photos in the smallest class.
    static func fewPhotos(_ count: Int) -> TrainingWarning {
        TrainingWarning(
            .fewPhotos,
            "A class has only \(count) photos: the classifier compares each photo with the mean of each class. It was "
                + "measured by leaving out one photo at a time, which with so few says little; more photos make it better.",
            count: count)
    }

    static let nearDuplicatesMeasured = TrainingWarning(
        .nearDuplicatesMeasured,
        "Measured by leaving out one photo at a time; near-duplicates of a photo were not left out with it.")
}
