package import Foundation

/// How often and when a breed or species was met.
package struct CollectionEntry: Hashable, Sendable {
    package var label: String
    package var firstMet: Date
    package var lastMet: Date
    /// Scans held to be of this label (corrected or predicted, abstentions left out).
    package var count: Int
}

/// An animal that people called by name.
package struct NamedAnimal: Hashable, Sendable {
    package var name: String
    /// What most of its scans were seen as.
    package var species: String
    /// Scans that carry the name.
    package var count: Int
}

/// An article that the user marked.
package struct Favourite: Hashable, Sendable {
    package var articleID: String
    package var since: Date
}

extension Sequence<NamedAnimal> {
    /// One a name, by name, where a name may have been given with several species, or several times.
    func joined() -> [NamedAnimal] {
        Dictionary(grouping: self, by: \.name).map { name, parts in
            let counts = Dictionary(parts.map { ($0.species, $0.count) }, uniquingKeysWith: +)
            let species = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? ""
            return NamedAnimal(name: name, species: species, count: counts.values.reduce(0, +))
        }.sorted { $0.name < $1.name }
    }
}
