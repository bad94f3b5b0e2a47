package import Base

/// The answer about an animal that all its pictures agree on, such as those of a film. One picture alone may say
/// something else.
package struct AgreedAnswer: Sendable, Equatable {
    /// The head of the classifier that knows the breed or the species.
    package let head: String
    /// The breeds or the species, likeliest first. Empty if no picture was close enough.
    package let predictions: [Prediction]
    /// Whether the first is likely enough to be reported.
    package let isSure: Bool
}
