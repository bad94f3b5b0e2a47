import Base
package import Tracing

/// A span that is recorded, and handed over when it ends. If nobody ends it, because the client left, it ends as
/// abandoned with its last reference.
///
/// `@unchecked Sendable` holds because a lock guards everything that changes. `SpanAttributes` and `SpanStatus` are
/// values, though their package does not declare them sendable.
package final class RecordedSpan: Span, @unchecked Sendable {
    private struct State {
        var name: String
        var attributes: SpanAttributes = [:]
        var status: SpanStatus?
        var events: [SpanEvent] = []
        var isEnded = false
    }

    /// The largest number of events in one span. Further ones are left out.
    private static let mostEvents = 32

    package let context: ServiceContext
    let place: TraceContext
    let parent: TraceContext?
    let kind: SpanKind
    /// The time in nanoseconds since 1970.
    let start: UInt64
    private let state: Locked<State>
    private let finish: @Sendable (FinishedSpan) -> Void

    init(
        _ name: String, in context: ServiceContext, kind: SpanKind, start: UInt64,
        finish: @escaping @Sendable (FinishedSpan) -> Void
    ) {
        let parent = context.trace
        let place = parent?.newSpan() ?? TraceContext(isSampled: true)
        var own = context
        own.trace = place
        self.context = own
        self.place = place
        self.parent = parent
        self.kind = kind
        self.start = start
        self.finish = finish
        state = Locked(State(name: name))
    }

    deinit {
        guard isRecording else { return }
        setStatus(SpanStatus(code: .error, message: "abandoned"))
        end()
    }

    package var operationName: String {
        get { state.withLock { $0.name } }
        set { state.withLock { $0.name = newValue } }
    }

    package var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set { state.withLock { $0.attributes = newValue } }
    }

    package var isRecording: Bool { state.withLock { !$0.isEnded } }

    package func setStatus(_ status: SpanStatus) {
        state.withLock { $0.status = status }
    }

    package func addEvent(_ event: SpanEvent) {
        state.withLock { if $0.events.count < Self.mostEvents { $0.events.append(event) } }
    }

    package func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        var attributes = attributes
        attributes["exception.type"] = "\(type(of: error))"
        attributes["exception.message"] = "\(error)"
        addEvent(SpanEvent(name: "exception", at: instant(), attributes: attributes))
    }

    /// Links to other traces are not recorded.
    package func addLink(_ link: SpanLink) {}

    package func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let end = instant().nanosecondsSinceEpoch
        nonisolated(unsafe) var last: State?
        state.withLock { state in
            guard !state.isEnded else { return }
            state.isEnded = true
            last = state
        }
        guard let last else { return }
        finish(
            FinishedSpan(
                name: last.name, place: place, parentID: parent?.spanID, kind: kind, start: start, end: max(start, end),
                attributes: last.attributes, status: last.status, events: last.events))
    }
}

/// A span as it is exported.
///
/// `@unchecked Sendable` holds because nothing in it changes; see ``RecordedSpan``.
struct FinishedSpan: @unchecked Sendable {
    let name: String
    let place: TraceContext
    let parentID: String?
    let kind: SpanKind
    /// The time in nanoseconds since 1970, like ``end``.
    let start: UInt64
    let end: UInt64
    let attributes: SpanAttributes
    let status: SpanStatus?
    let events: [SpanEvent]
}
