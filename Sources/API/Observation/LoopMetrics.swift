import Base
import HTTP
import HTTPWire
import Telemetry

/// What one event loop reports: it counts on instruments of its own, so that loops do not wait for each other's memory.
final class LoopMetrics: ServerObserver {
    /// The instruments of requests that ended alike.
    private struct Outcome {
        let method: Method
        let route: String?
        let status: Int
        let count: Counter
        let seconds: Histogram
    }

    /// Kinds of outcomes with instruments of this loop's own; there are few, and the usual ones move to the front.
    private static let most = 64

    private let metrics: ServiceMetrics
    private let connections: Gauge
    private let connectionsTotal: Counter
    private let received: Counter
    private let sent: Counter
    private let outcomes = Locked<[Outcome]>([])

    init(_ metrics: ServiceMetrics) {
        self.metrics = metrics
        connections = metrics.connections.own()
        connectionsTotal = metrics.connectionsTotal.own()
        received = metrics.bytesReceived.own()
        sent = metrics.bytesSent.own()
    }

    func connectionOpened() {
        connections.add(1)
        connectionsTotal.increment()
    }

    func connectionClosed() { connections.add(-1) }

    func bytesReceived(_ count: Int) { received.increment(by: count) }

    func bytesSent(_ count: Int) { sent.increment(by: count) }

    func refused(_ reason: RefusalReason) { metrics.refused(reason) }

    func requestCompleted(_ record: RequestRecord) {
        let (count, seconds) = outcomes.withLock { instruments(for: record, &$0) }
        count.increment()
        seconds.observe(record.duration / .seconds(1))
    }

    private func instruments(for record: RequestRecord, _ known: inout [Outcome]) -> (Counter, Histogram) {
        let status = record.status.code
        // Texts that share their memory, as those of one route do, are equal at a glance: cheaper than a hash.
        for index in known.indices {
            guard known[index].status == status, known[index].route == record.route,
                known[index].method == record.method
            else { continue }
            let found = (known[index].count, known[index].seconds)
            if index > 3 { known.swapAt(index, index - 1) }
            return found
        }
        let route = record.route ?? "none"
        let method = Method.known.contains(record.method) ? record.method.rawValue : "other"
        guard known.count < Self.most, method != "other" else {
            return (
                metrics.requests.with(method, route, String(status)), metrics.requestSeconds.with(route)
            )
        }
        // One histogram a route, whatever the method and the status.
        let seconds = known.first { $0.route == record.route }?.seconds ?? metrics.requestSeconds.own(route)
        let outcome = Outcome(
            method: record.method, route: record.route, status: status,
            count: metrics.requests.own(method, route, String(status)), seconds: seconds)
        known.append(outcome)
        return (outcome.count, outcome.seconds)
    }
}
