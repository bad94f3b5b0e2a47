import Base
import HTTP
import Security
import Telemetry

/// Records requests as spans, in the caller's trace from `traceparent` or in a new one.
///
/// The caller's decision is kept: its trace is recorded only if the caller records it. Requests without `traceparent`
/// are recorded with a given probability.
struct RequestTraces: Middleware {
    let exporter: SpanExporter
    /// The probability, 0 to 1.
    let share: Double

    func before(_ request: inout Request) -> Response? {
        let parent = TraceContext(request.headers)
        guard parent?.isSampled ?? (Double.random(in: 0..<1) < share) else { return nil }
        let span = ActiveSpan(below: parent) { [exporter] in exporter.add($0) }
        request.span = span
        // The log names the trace, even if it began here.
        if parent == nil { request.headers["traceparent"] = span.place.description }
        return nil
    }

    /// Tells the caller its span, in the form that browser agents read.
    func after(_ request: Request, _ response: inout Response) {
        guard let span = request.span else { return }
        response.headers.append("traceparent;desc=\"\(span.place)\"", for: "Server-Timing")
    }
}

/// Ends the spans of requests, and passes everything on to another observer.
///
/// The attributes follow OpenTelemetry's semantic conventions for HTTP servers.
struct TracedRequests: ServerObserver {
    let next: (any ServerObserver)?

    func observer(ofLoop index: Int) -> any ServerObserver {
        TracedRequests(next: next?.observer(ofLoop: index))
    }

    func requestCompleted(_ record: RequestRecord) {
        if let span = record.span {
            let method = record.method.rawValue
            let isFailure = record.status.code >= 500
            var attributes: [String: SpanValue] = [
                "http.request.method": .text(method),
                "http.request.body.size": .number(record.bytesIn),
                "http.response.body.size": .number(record.bytesOut),
                "http.response.status_code": .number(record.status.code),
                "url.path": .text(AccessKey.concealed(in: String(record.target.prefix { $0 != "?" }.prefix(200)))),
                "menagerie.request_id": .text(record.id),
            ]
            if let route = record.route { attributes["http.route"] = .text(route) }
            if isFailure { attributes["error.type"] = .text(String(record.status.code)) }
            span.end(record.route.map { "\(method) \($0)" } ?? method, attributes, isFailure: isFailure)
        }
        next?.requestCompleted(record)
    }
}
