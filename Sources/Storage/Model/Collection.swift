package import Foundation

/// How often and when a breed or species was met.
package struct CollectionEntry: Hashable, Sendable {
    package var label: String
    package var firstMet: Date
    package var lastMet: Date
    /// The number of scans with this effective label (corrected or predicted, without abstentions).
    package var count: Int
}

/// An animal that people called by name.
package struct NamedAnimal: Hashable, Sendable {
    package var name: String
    /// The species of most of its scans.
    package var species: String
    /// The number of scans that carry the name.
    package var count: Int
}

/// An article that the user marked.
package struct Favourite: Hashable, Sendable {
    package var articleID: String
    package var since: Date
}

extension Sequence<NamedAnimal> {
    /// One entry for each name, sorted by name. A name may occur several times before, with several species.
    func joined() -> [NamedAnimal] {
        Dictionary(grouping: self, by: \.name).map { name, parts in
            let counts = Dictionary(parts.map { ($0.species, $0.count) }, uniquingKeysWith: +)
            let species = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? ""
            return NamedAnimal(name: name, species: species, count: counts.values.reduce(0, +))
        }.sorted { $0.name < $1.name }
    }
}
