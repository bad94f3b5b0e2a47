import Base
package import HTTP
package import Telemetry
import Tracing

/// Records requests as spans, in the caller's trace from `traceparent` or in a new one.
///
/// The caller's decision is kept: its trace is recorded only if the caller records it. Requests without `traceparent`
/// are recorded with a given probability.
package struct RequestTraces: Middleware {
    private let recorder: SpanRecorder
    /// The probability, 0 to 1.
    private let share: Double

    package init(recorder: SpanRecorder, share: Double) {
        self.recorder = recorder
        self.share = share
    }

    package func before(_ request: inout Request) -> Response? {
        let parent = TraceContext(request.headers)
        guard parent?.isSampled ?? (Double.random(in: 0..<1) < share) else { return nil }
        var context = ServiceContext.topLevel
        context.trace = parent
        let span = recorder.startSpan(request.method.rawValue, context: context, ofKind: .server)
        context = span.context
        context.requestSpan = span
        request.context = context
        // The log names the trace, even if it began here.
        if parent == nil, let trace = context.trace { request.headers["traceparent"] = trace.description }
        return nil
    }

    /// Tells the caller its span, in the form that browser agents read.
    package func after(_ request: Request, _ response: inout Response) {
        guard let trace = request.context?.trace else { return }
        var timing = ServerTiming()
        timing.add("traceparent", text: trace.description)
        response.add(timing)
    }
}

/// Ends the spans of requests, and passes everything on to another observer.
///
/// The attributes follow OpenTelemetry's semantic conventions for HTTP servers.
package struct TracedRequests: ServerObserver {
    private let next: any ServerObserver

    package init(next: any ServerObserver) {
        self.next = next
    }

    package func observer(ofLoop index: Int) -> any ServerObserver {
        TracedRequests(next: next.observer(ofLoop: index))
    }

    package func requestCompleted(_ record: RequestRecord) {
        if let span = record.context?.requestSpan {
            var attributes: SpanAttributes = [
                "http.request.method": .string(record.method.rawValue),
                "http.request.body.size": .int64(Int64(record.bytesIn)),
                "http.response.body.size": .int64(Int64(record.bytesOut)),
                "http.response.status_code": .int64(Int64(record.status.code)),
                "url.path": .string(String(record.target.prefix { $0 != "?" }.prefix(200))),
                "menagerie.request_id": .string(record.id),
            ]
            if let route = record.route {
                attributes["http.route"] = route
                span.operationName = "\(record.method.rawValue) \(route)"
            }
            if record.status.code >= 500 {
                attributes["error.type"] = String(record.status.code)
                span.setStatus(SpanStatus(code: .error))
            }
            span.attributes = attributes
            span.end()
        }
        next.requestCompleted(record)
    }

    package func connectionOpened() { next.connectionOpened() }
    package func connectionClosed() { next.connectionClosed() }
    package func bytesReceived(_ count: Int) { next.bytesReceived(count) }
    package func bytesSent(_ count: Int) { next.bytesSent(count) }
    package func refused(_ reason: RefusalReason) { next.refused(reason) }
}

extension ServiceContext {
    private enum RequestSpanKey: ServiceContextKey {
        typealias Value = RecordedSpan
    }

    fileprivate var requestSpan: RecordedSpan? {
        get { self[RequestSpanKey.self] }
        set { self[RequestSpanKey.self] = newValue }
    }
}
