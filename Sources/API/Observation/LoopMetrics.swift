import Base
import HTTP
import Metrics
import Telemetry

/// What one event loop reports: it counts on memory of its own, so that loops do not wait for each other's memory.
final class LoopMetrics: ServerObserver {
    /// What requests that ended alike are counted on.
    private struct Outcome {
        let method: Method
        let route: String?
        let status: Int
        let count: Counter
        let seconds: Timer
    }

    /// Kinds of outcomes that this loop counts for itself; there are few, and the usual ones move to the front.
    private static let most = 64

    private let metrics: ServiceMetrics
    private let connections: Meter
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
        connections.increment()
        connectionsTotal.increment()
    }

    func connectionClosed() { connections.decrement() }

    func bytesReceived(_ count: Int) { received.increment(by: count) }

    func bytesSent(_ count: Int) { sent.increment(by: count) }

    func refused(_ reason: RefusalReason) { metrics.refused(reason) }

    func requestCompleted(_ record: RequestRecord) {
        let (count, seconds) = outcomes.withLock { counting(record, &$0) }
        count.increment()
        // `record(duration:)` takes the duration apart twice, which costs as much as all the rest here.
        let (whole, attoseconds) = record.duration.components
        seconds.recordNanoseconds(whole * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    private func counting(_ record: RequestRecord, _ known: inout [Outcome]) -> (Counter, Timer) {
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
        // One timer a route, whatever the method and the status.
        let seconds = known.first { $0.route == record.route }?.seconds ?? metrics.requestSeconds.own(route)
        let outcome = Outcome(
            method: record.method, route: record.route, status: status,
            count: metrics.requests.own(method, route, String(status)), seconds: seconds)
        known.append(outcome)
        return (outcome.count, outcome.seconds)
    }
}
