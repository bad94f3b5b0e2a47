import Logging

/// Passes each line of the log on.
struct LogLines: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace
    let take: @Sendable (String) -> Void
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }
    func log(event: LogEvent) { take("\(event.message) \(event.metadata ?? [:])") }
}
