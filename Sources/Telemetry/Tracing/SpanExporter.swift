package import Base
package import Foundation
package import Logging

/// Sends finished spans to a collector in batches, by OTLP over HTTP with Protobuf.
///
/// Source: https://opentelemetry.io/docs/specs/otlp/#otlphttp
package final class SpanExporter: Sendable {
    /// The service that the spans come from.
    package struct Resource: Sendable {
        /// `service.name`.
        package let name: String
        /// `service.version`.
        package let version: String
        /// `service.instance.id`, which distinguishes processes of the same name.
        package let instance: String

        package init(name: String, version: String, instance: String) {
            self.name = name
            self.version = version
            self.instance = instance
        }
    }

    private struct State {
        var waiting: [FinishedSpan] = []
        var exported = 0
        var dropped = 0
        var isReachable = true
    }

    /// The largest number of spans that wait. Further ones are dropped.
    package static let capacity = 8192
    /// The largest number of spans in one request to the collector.
    private static let batch = 1024
    /// The time that spans wait for others.
    private static let interval = Duration.seconds(2)

    private let endpoint: URL
    private let resource: Resource
    private let logger: Logger
    private let client = WebClient(idle: 5, whole: 5)
    private let state = Locked(State())

    /// - Parameter endpoint: the URL for traces, such as `http://127.0.0.1:4318/v1/traces`.
    package init(endpoint: URL, resource: Resource, logger: Logger) {
        self.endpoint = endpoint
        self.resource = resource
        self.logger = logger
    }

    /// Registers metrics of the numbers of spans exported and lost.
    package func register(in registry: MetricRegistry) {
        registry.computed(.counter, "menagerie_spans_exported_total", help: "Spans that the collector took.") {
            [self] in
            [([], Double(state.withLock { $0.exported }))]
        }
        registry.computed(
            .counter, "menagerie_spans_dropped_total",
            help: "Spans lost because the collector refused them, or was away for too long."
        ) { [self] in [([], Double(state.withLock { $0.dropped }))] }
    }

    package func add(_ span: FinishedSpan) {
        state.withLock { state in
            if state.waiting.count < Self.capacity { state.waiting.append(span) } else { state.dropped += 1 }
        }
    }

    /// Sends the gathered spans repeatedly, until the task is cancelled.
    package func run() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.interval)
            await flush()
        }
    }

    /// Sends all waiting spans, as far as the collector takes them now.
    package func flush() async {
        while true {
            let spans = state.withLock { state in
                let spans = Array(state.waiting.prefix(Self.batch))
                state.waiting.removeFirst(spans.count)
                return spans
            }
            guard !spans.isEmpty else { return }
            switch await post(spans) {
            case .taken: told(of: nil) { $0.exported += spans.count }
            case .refused(let reason): told(of: reason) { $0.dropped += spans.count }
            case .later(let reason):
                // These spans go first the next time, if there is room.
                told(of: reason) { state in
                    let kept = spans.suffix(max(0, Self.capacity - state.waiting.count))
                    state.dropped += spans.count - kept.count
                    state.waiting.insert(contentsOf: kept, at: 0)
                }
                return
            }
        }
    }

    private enum Outcome {
        case taken
        /// The collector refused the spans and would refuse them again.
        case refused(String)
        /// The collector is unreachable or busy (OTLP, "Failures").
        case later(String)
    }

    private func post(_ spans: [FinishedSpan]) async -> Outcome {
        let request = WebRequest(
            endpoint, method: "POST", fields: ["Content-Type": "application/x-protobuf"],
            body: Array(TraceMessage(resource: resource, spans: spans).bytes))
        // The request is a task of its own, so that the last spans still leave when the service ends.
        let client = client
        switch await Task(operation: { () throws(WebError) in try await client.send(request).status }).result {
        case .success(200..<300): return .taken
        case .success(let status) where [429, 502, 503, 504].contains(status): return .later("status \(status)")
        case .success(let status): return .refused("status \(status)")
        case .failure(let error): return .later(error.localizedDescription)
        }
    }

    /// Logs when the collector becomes unreachable and when it is back, but not each attempt in between.
    private func told(of problem: String?, _ change: (inout State) -> Void) {
        let wasReachable = state.withLock { state in
            change(&state)
            return exchange(&state.isReachable, with: problem == nil)
        }
        if let problem, wasReachable {
            logger.warning("Spans cannot be sent", metadata: ["endpoint": "\(endpoint)", "reason": "\(problem)"])
        } else if problem == nil, !wasReachable {
            logger.notice("Spans are sent again", metadata: ["endpoint": "\(endpoint)"])
        }
    }
}
