package import Foundation

/// How often and when a breed or species was met.
package struct CollectionEntry: Hashable, Sendable {
    package var label: String
    package var firstMet: Date
    package var lastMet: Date
    /// Scans held to be of this label (corrected or predicted, abstentions left out).
    package var count: Int
}

/// An article that the user marked.
package struct Favourite: Hashable, Sendable {
    package var articleID: String
    package var since: Date
}
