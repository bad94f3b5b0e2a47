import Base
import HTTP
import Metrics
import Telemetry

/// The metrics of one event loop. It counts in its own memory, so that loops do not compete for memory.
final class LoopMetrics: ServerObserver {
    /// The counters of requests with the same outcome.
    private struct Outcome {
        let method: Method
        let route: String?
        let status: Int
        let count: Counter
        let seconds: Timer
    }

    /// The number of outcomes that this loop counts by itself. There are few, and the usual ones move to the front.
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
        // `record(duration:)` splits the duration twice, which costs as much as all the rest here.
        let (whole, attoseconds) = record.duration.components
        seconds.recordNanoseconds(whole * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    private func counting(_ record: RequestRecord, _ known: inout [Outcome]) -> (Counter, Timer) {
        let status = record.status.code
        // Texts that share memory, such as those of one route, compare at once. That is cheaper than a hash.
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
            return (metrics.requests.with(method, route, String(status)), metrics.requestSeconds.with(route))
        }
        // A route has one timer for all methods and statuses.
        let seconds = known.first { $0.route == record.route }?.seconds ?? metrics.requestSeconds.own(route)
        let outcome = Outcome(
            method: record.method, route: record.route, status: status,
            count: metrics.requests.own(method, route, String(status)), seconds: seconds)
        known.append(outcome)
        return (outcome.count, outcome.seconds)
    }
}
