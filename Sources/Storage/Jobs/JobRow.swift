package import Base

/// A piece of long work as the store keeps it. The code that does the work decides what the document holds.
package struct JobRow: Hashable, Sendable {
    package var id: ULID
    /// The kind of work, such as `video`.
    package var kind: String
    package var state: String
    /// JSON; the store does not look into it.
    package var document: String

    package init(id: ULID, kind: String, state: String, document: String) {
        self.id = id
        self.kind = kind
        self.state = state
        self.document = document
    }
}

/// Some of the jobs of a kind, newest first.
package struct JobPage: Hashable, Sendable {
    package var items: [JobRow]
    /// The number of all jobs of the kind.
    package var total: Int
    /// Whether older jobs follow.
    package var hasMore: Bool
}
