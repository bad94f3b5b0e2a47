import Base
import History

/// A photo with its answer.
struct ClassifiedPhoto: Sendable {
    let scan: NewScan
    var isSaved: Bool
    /// Whether the request asked for the heads.
    let showsHeads: Bool
    /// Whether it was answered before, under the same idempotency key.
    var isReplayed = false
    /// Earlier scans of the very same photo, newest first; nil where nobody looked.
    var seenBefore: [ULID]?

    /// For the browser's developer tools (W3C Server Timing).
    var serverTiming: String { ScanRepresentation.Timing(scan.timing).serverTiming }
}
