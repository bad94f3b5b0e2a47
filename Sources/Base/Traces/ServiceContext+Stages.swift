package import Tracing

extension ServiceContext {
    /// Records a finished stage of the current work in its trace. It does nothing if nothing is traced.
    ///
    /// - Parameters:
    ///   - name: the stage, such as `decode`.
    ///   - seconds: the time that it took.
    package static func recordStage(
        _ name: String, from start: ContinuousClock.Instant, seconds: Double,
        _ attributes: @autoclosure () -> SpanAttributes = [:]
    ) {
        guard let context = current, context.trace != nil else { return }
        let now = DefaultTracerClock.now.nanosecondsSinceEpoch
        let sinceStart = max(0, start.duration(to: .now) / .nanoseconds(1))
        let startNanoseconds = now - min(now, UInt64(sinceStart))
        let span = InstrumentationSystem.tracer.startSpan(
            name, context: context, at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: startNanoseconds))
        span.attributes = attributes()
        let length = UInt64(max(0, seconds) * 1e9)
        span.end(at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: startNanoseconds + length))
    }
}
