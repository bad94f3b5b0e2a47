/// The name of a breed in the list of dog.ceo: one word, and a second one for a sub-breed.
///
/// Source: https://dog.ceo/dog-api/documentation/
package struct DogListName: Sendable, Hashable, CustomStringConvertible {
    package let breed: String
    package let subBreed: String?

    package init(_ breed: String, _ subBreed: String? = nil) {
        self.breed = breed
        self.subBreed = subBreed
    }

    /// The name in reading order: `boston bulldog`.
    package var description: String {
        subBreed.map { "\($0) \(breed)" } ?? breed
    }
}

extension DogListName {
    /// The name for a label of the dogs head.
    package init?(label: String) {
        guard let name = Self.byLabel[label] else { return nil }
        self = name
    }

    /// The label of the dogs head; nil if no label has this name.
    package var label: String? { Self.labels[self] }

    /// All breeds of the dogs head with their sub-breeds, in the form of `/breeds/list/all`.
    package static let all: [String: [String]] = byLabel.values.reduce(into: [:]) { list, name in
        list[name.breed, default: []] += name.subBreed.map { [$0] } ?? []
    }
    .mapValues { $0.sorted() }

    private static let labels = Dictionary(uniqueKeysWithValues: byLabel.map { ($1, $0) })
}
