package import Base

/// A session of the lap timer as the store keeps it. Only the timer reads the document.
package struct LapRecord: Hashable, Sendable {
    package let id: ULID
    /// The session as JSON.
    package var document: String

    package init(id: ULID, document: String) {
        self.id = id
        self.document = document
    }
}
