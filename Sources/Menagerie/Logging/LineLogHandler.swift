import Base
import Foundation
import Logging

/// How a log line is written.
enum LogFormat: String, Sendable {
    /// `2026-03-01T12:00:00.000Z info menagerie.http: message key=value`
    case text
    /// One JSON object a line: time, level, logger, message and the metadata's keys.
    case json
}

/// Writes each message as one line, with its metadata in the order of the keys.
struct LineLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    var logLevel: Logger.Level
    private let label: String
    private let format: LogFormat
    private let writer: LogWriter

    init(label: String, level: Logger.Level, format: LogFormat, writer: LogWriter = .standardError) {
        self.label = label
        self.logLevel = level
        self.format = format
        self.writer = writer
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    #if compiler(>=6.2)
        func log(event: LogEvent) {
            write(event.level, "\(event.message)", event.metadata)
        }
    #else
        // The releases of swift-log that Swift 6.1 can build know no LogEvent.
        func log(
            level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String, file: String,
            function: String, line: UInt
        ) {
            write(level, "\(message)", metadata)
        }
    #endif

    private func write(_ level: Logger.Level, _ message: String, _ extra: Logger.Metadata?) {
        var all = metadata
        all.merge(metadataProvider?.get() ?? [:]) { $1 }
        all.merge(extra ?? [:]) { $1 }
        let pairs = all.sorted { $0.key < $1.key }.map { ($0.key, "\($0.value)") }
        writer.write(text(level, message, pairs))
    }

    private func text(_ level: Logger.Level, _ message: String, _ pairs: [(String, String)]) -> String {
        let time = Date().rfc3339
        switch format {
        case .text:
            let values = pairs.map { " \($0.0)=\(Self.needsQuotes($0.1) ? Self.quoted($0.1) : $0.1)" }.joined()
            return "\(time) \(level) \(label): \(Self.singleLine(message))\(values)"
        case .json:
            let head = [("time", time), ("level", "\(level)"), ("logger", label), ("message", message)]
            return "{"
                + (head + pairs).map { "\(Self.quoted($0.0)):\(Self.quoted($0.1))" }.joined(separator: ",") + "}"
        }
    }

    private static func needsQuotes(_ text: String) -> Bool {
        text.isEmpty || text.utf8.contains { $0 <= 0x20 || $0 == 0x22 || $0 == 0x3D || $0 == 0x7F }
    }

    /// A message cannot forge a second line.
    private static func singleLine(_ text: String) -> String {
        text.utf8.contains { $0 < 0x20 } ? quoted(text) : text
    }

    /// A JSON string (RFC 8259 §7).
    private static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        JSONText.append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
