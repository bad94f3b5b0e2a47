import Base
import History

/// A photo's answer, with facts about its request.
struct ClassifiedPhoto: Sendable {
    let scan: NewScan
    var isSaved: Bool
    /// Whether the request asked for the heads.
    let showsHeads: Bool
    /// Whether the answer was given before, under the same idempotency key.
    var isReplayed = false
    /// Earlier scans of the identical photo, newest first; nil if the history was not searched.
    var seenBefore: [ULID]?

    /// The timing for a browser's developer tools (W3C Server Timing).
    var serverTiming: String { ScanRepresentation.Timing(scan.timing).serverTiming }
}
