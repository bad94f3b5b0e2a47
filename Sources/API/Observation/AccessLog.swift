package import HTTP
package import Logging

/// Logs each request in one line, and passes everything on to another observer.
package struct AccessLog: ServerObserver {
    private let logger: Logger
    private let next: any ServerObserver

    package init(logger: Logger, next: any ServerObserver) {
        self.logger = logger
        self.next = next
    }

    package func requestCompleted(_ record: RequestRecord) {
        logger.info(
            "Request",
            metadata: [
                "method": "\(record.method.rawValue)", "target": "\(record.target.prefix(200))",
                "status": "\(record.status.code)", "ms": "\(milliseconds(record.duration))",
                "bytes_in": "\(record.bytesIn)", "bytes_out": "\(record.bytesOut)", "id": "\(record.id)",
                "client": "\(record.remoteAddress)",
            ])
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
