package import Base

/// A session of a lap timer as it is kept: what it holds is the timer's business.
package struct LapRecord: Hashable, Sendable {
    package let id: ULID
    /// JSON.
    package var document: String

    package init(id: ULID, document: String) {
        self.id = id
        self.document = document
    }
}
