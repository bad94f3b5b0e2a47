package import Logging

/// Writes each message as one line, with its metadata in the order of the keys.
package struct LineLogHandler: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    package var logLevel: Logger.Level
    private let label: String
    private let writer: LogWriter

    package init(label: String, level: Logger.Level, writer: LogWriter) {
        self.label = label
        self.logLevel = level
        self.writer = writer
    }

    /// A field in each of the logger's lines; nil if no field has that name.
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var all = metadata
        all.merge(metadataProvider?.get() ?? [:]) { $1 }
        all.merge(event.metadata ?? [:]) { $1 }
        let pairs = all.sorted { $0.key < $1.key }
        writer.write(isUrgent: true) { lines in
            lines.begin(level: event.level.rawValue, logger: label, message: "\(event.message)")
            for (key, value) in pairs { lines.field(key, "\(value)") }
            lines.end()
        }
    }
}

package enum LogFormat: String, Sendable {
    /// `2026-03-01T12:00:00.000Z info menagerie.http: message key=value`
    case text
    /// One JSON object per line: time, level, logger, message and the metadata's keys.
    case json
}
