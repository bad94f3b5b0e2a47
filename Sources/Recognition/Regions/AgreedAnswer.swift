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

    /// Nil if the classifier has no head for the animal, or is not sure which species it is.
    ///
    /// - Parameters:
    ///   - label: `cat`, `dog`, or any other word for what the pictures show.
    ///   - breeds: those of a cat or a dog, likeliest first.
    ///   - species: that of any other animal; nil if unsure.
    package init?(
        label: String, breeds: [Prediction], isSureOfBreed: Bool, species: (head: String, prediction: Prediction)?
    ) {
        if let head = Animals.breedHeads[label] {
            (self.head, predictions, isSure) = (head, breeds, isSureOfBreed && !breeds.isEmpty)
        } else if let species {
            (head, predictions, isSure) = (species.head, [species.prediction], true)
        } else {
            return nil
        }
    }
}

extension RegionName {
    /// The answer for a scan of the animal in the region. The number of breeds is limited.
    package var agreed: AgreedAnswer? {
        AgreedAnswer(
            label: label, breeds: breeds?.listed(3) ?? [], isSureOfBreed: isSureOfBreed,
            species: species.map { ($0.head, $0.prediction) })
    }
}
