/// A span under way: the work that a trace shows, with its place in the trace.
package struct ActiveSpan: Sendable {
    /// The span that the current task's work belongs to; nil if it is not recorded. Threads of a pool do not inherit
    /// it.
    @TaskLocal package static var current: ActiveSpan?

    package let place: TraceContext
    private let parent: TraceContext?
    private let start = KernelClock.sinceEpoch
    private let record: @Sendable (FinishedSpan) -> Void

    /// Begins a span below another one, or in a new trace.
    ///
    /// - Parameter record: takes the span, and each of its stages, once it has finished.
    package init(below parent: TraceContext?, record: @escaping @Sendable (FinishedSpan) -> Void) {
        self.parent = parent
        place = parent?.newSpan() ?? TraceContext(isSampled: true)
        self.record = record
    }

    /// Records a finished stage of the current work. It does nothing if the work is not recorded.
    ///
    /// - Parameters:
    ///   - name: the stage, such as `decode`.
    ///   - seconds: the time that it took.
    package static func recordStage(
        _ name: String, from start: ContinuousClock.Instant, seconds: Double,
        _ attributes: @autoclosure () -> [String: SpanValue] = [:]
    ) {
        guard let current else { return }
        let now = KernelClock.sinceEpoch
        let begin = now - min(now, UInt64(clamping: max(0, start.duration(to: .now) / .nanoseconds(1))))
        current.record(
            FinishedSpan(
                name: name, place: current.place.newSpan(), parent: current.place, kind: .internal, start: begin,
                end: begin + UInt64(clamping: max(0, min(seconds, 1e9)) * 1e9), attributes: attributes()))
    }

    /// Records the span of a request, which ends now.
    package func end(_ name: String, _ attributes: [String: SpanValue], isFailure: Bool) {
        record(
            FinishedSpan(
                name: name, place: place, parent: parent, kind: .server, start: start,
                end: max(start, KernelClock.sinceEpoch), attributes: attributes, isFailure: isFailure))
    }
}

/// A span as it is exported.
package struct FinishedSpan: Hashable, Sendable {
    package enum Kind: Sendable {
        case `internal`, server
    }

    package let name: String
    package let place: TraceContext
    package let parent: TraceContext?
    package let kind: Kind
    /// The time in nanoseconds since 1970, like ``end``.
    package let start: UInt64
    package let end: UInt64
    package let attributes: [String: SpanValue]
    package var isFailure = false
}

/// An attribute's value.
package enum SpanValue: Hashable, Sendable {
    case text(String)
    case number(Int)
}
