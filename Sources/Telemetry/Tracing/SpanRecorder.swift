import Base
package import Tracing

/// The tracer of the process when tracing is on. It has spans recorded and exported.
package struct SpanRecorder: Tracer {
    package typealias Span = RecordedSpan

    private let exporter: SpanExporter

    package init(exporter: SpanExporter) {
        self.exporter = exporter
    }

    package func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> RecordedSpan {
        RecordedSpan(
            operationName, in: context(), kind: kind, start: instant().nanosecondsSinceEpoch,
            finish: { [exporter] in exporter.add($0) })
    }

    /// Does nothing, because spans leave by themselves; see ``SpanExporter/run()``.
    package func forceFlush() {}

    package func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        guard let text = extractor.extract(key: "traceparent", from: carrier) else { return }
        context.trace = TraceContext(parsing: text) ?? context.trace
    }

    package func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let trace = context.trace else { return }
        injector.inject(trace.description, forKey: "traceparent", into: &carrier)
    }
}
