/// A breed as the list of dog.ceo writes it: one word, and a second one for the sub-breeds.
///
/// Source: https://dog.ceo/dog-api/documentation/
package struct DogListName: Sendable, Hashable, CustomStringConvertible {
    package let breed: String
    package let subBreed: String?

    package init(_ breed: String, _ subBreed: String? = nil) {
        self.breed = breed
        self.subBreed = subBreed
    }

    /// As people read it: `boston bulldog`.
    package var description: String {
        subBreed.map { "\($0) \(breed)" } ?? breed
    }
}

extension DogListName {
    /// The name in the list for a label of the dogs head.
    package init?(label: String) {
        guard let name = Self.byLabel[label] else { return nil }
        self = name
    }

    /// The label of the dogs head; nil for a name that no label stands for.
    package var label: String? { Self.labels[self] }

    /// Every breed that the dogs head knows with its sub-breeds, in the form of `/breeds/list/all`.
    package static let all: [String: [String]] = byLabel.values.reduce(into: [:]) { list, name in
        list[name.breed, default: []] += name.subBreed.map { [$0] } ?? []
    }
    .mapValues { $0.sorted() }

    private static let labels = Dictionary(uniqueKeysWithValues: byLabel.map { ($1, $0) })
}
