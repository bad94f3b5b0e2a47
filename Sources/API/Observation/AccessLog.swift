package import HTTP
package import Logging

/// Logs each request in one line, and passes everything on to another observer.
package struct AccessLog: ServerObserver {
    private let logger: Logger
    private let next: any ServerObserver
    private let logsTraces: Bool

    /// - Parameter logsTraces: whether the ids of `traceparent` (W3C Trace Context) stand in the line.
    package init(logger: Logger, next: any ServerObserver, logsTraces: Bool = true) {
        self.logger = logger
        self.logsTraces = logsTraces
        self.next = next
    }

    package func requestCompleted(_ record: RequestRecord) {
        var metadata: Logger.Metadata = [
            "method": "\(record.method.rawValue)", "target": "\(record.target.prefix(200))",
            "status": "\(record.status.code)", "ms": "\(milliseconds(record.duration))",
            "bytes_in": "\(record.bytesIn)", "bytes_out": "\(record.bytesOut)", "id": "\(record.id)",
            "client": "\(record.remoteAddress)",
        ]
        if logsTraces, let trace = record.trace {
            metadata["trace_id"] = "\(trace.traceID)"
            metadata["parent_id"] = "\(trace.parentID)"
        }
        logger.info("Request", metadata: metadata)
        next.requestCompleted(record)
    }

    package func connectionOpened() { next.connectionOpened() }
    package func connectionClosed() { next.connectionClosed() }
    package func bytesReceived(_ count: Int) { next.bytesReceived(count) }
    package func bytesSent(_ count: Int) { next.bytesSent(count) }
    package func refused(_ reason: RefusalReason) { next.refused(reason) }

    private func milliseconds(_ duration: Duration) -> Double {
        (duration / .microseconds(10)).rounded() / 100
    }
}
