package enum LogFormat: String, Sendable {
    /// `2026-03-01T12:00:00.000Z info menagerie.http: message key=value`
    case text
    /// One JSON object per line: time, level, logger, message and the metadata's keys.
    case json
}
