import Base
import HTTP
import Security
import Telemetry

/// Logs each request in one line, and passes everything on to another observer.
struct AccessLog: ServerObserver {
    /// The number of characters of a target in the line.
    private static let targetLength = 200

    let writer: LogWriter
    let next: (any ServerObserver)?
    /// Whether the line has the ids of `traceparent` (W3C Trace Context).
    let logsTraces: Bool

    func observer(ofLoop index: Int) -> any ServerObserver {
        AccessLog(writer: writer, next: next?.observer(ofLoop: index), logsTraces: logsTraces)
    }

    func requestCompleted(_ record: RequestRecord) {
        let trace = logsTraces ? record.trace : nil
        writer.write { lines in
            lines.begin(level: "info", logger: "menagerie.access", message: "Request")
            lines.field("bytes_in", record.bytesIn)
            lines.field("bytes_out", record.bytesOut)
            lines.field("client", record.remoteAddress)
            lines.field("id", record.id)
            lines.field("method", record.method.rawValue)
            lines.field("ms", hundredths: record.duration.hundredthsOfMilliseconds)
            if let trace { lines.field("parent_id", trace.spanID) }
            lines.field("status", record.status.code)
            lines.field("target", Self.loggable(record.target))
            if let trace { lines.field("trace_id", trace.traceID) }
            lines.end()
        }
        next?.requestCompleted(record)
    }

    /// The target without a key that a client put into it, and not too long.
    private static func loggable(_ target: String) -> String {
        AccessKey.concealed(in: target.utf8.count <= targetLength ? target : String(target.prefix(targetLength)))
    }
}

extension Duration {
    /// Rounded to the nearest.
    fileprivate var hundredthsOfMilliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 100_000 + Int((attoseconds + 5_000_000_000_000) / 10_000_000_000_000)
    }
}
