import Base
package import HTTP
package import Telemetry

/// What the server and the recognition report, as Prometheus metrics.
package final class ServiceMetrics: Sendable {
    /// What tells one request counter from another.
    private struct Outcome: Hashable {
        let method: Method
        let route: String?
        let status: Int
    }

    package let registry: MetricRegistry
    private let requests: MetricFamily<Counter>
    private let requestSeconds: MetricFamily<Histogram>
    /// The instruments of what was seen before, at hand without building their labels.
    private let outcomes = Locked<[Outcome: (Counter, Histogram)]>([:])
    private let connections: Gauge
    private let connectionsTotal: Counter
    private let bytesReceived: Counter
    private let bytesSent: Counter
    private let refusals: MetricFamily<Counter>
    let photos: MetricFamily<Counter>
    let photosSearched: Counter
    let decodeSeconds: Histogram
    let decodeQueueSeconds: Histogram
    let queueSeconds: MetricFamily<Histogram>
    let inferenceSeconds: MetricFamily<Histogram>
    let engineSeconds: MetricFamily<Histogram>
    let batchSize: MetricFamily<Histogram>
    let batches: MetricFamily<Counter>
    let queueDepth: MetricFamily<Gauge>
    let dropped: MetricFamily<Counter>
    let scansSaved: Counter
    let keys: MetricFamily<Gauge>

    package init(registry: MetricRegistry = MetricRegistry()) {
        self.registry = registry
        requests = registry.counters(
            "menagerie_http_requests_total", help: "Requests answered.", labels: ["method", "route", "status"])
        requestSeconds = registry.histograms(
            "menagerie_http_request_duration_seconds", help: "From the end of the header to the end of the answer.",
            labels: ["route"])
        connections = registry.gauge("menagerie_http_connections", help: "Open connections.")
        connectionsTotal = registry.counter("menagerie_http_connections_total", help: "Connections accepted.")
        bytesReceived = registry.counter("menagerie_http_received_bytes_total", help: "Bytes read from clients.")
        bytesSent = registry.counter("menagerie_http_sent_bytes_total", help: "Bytes written to clients.")
        refusals = registry.counters(
            "menagerie_refusals_total", help: "Connections, requests and photos refused, by reason.", labels: ["reason"]
        )
        photos = registry.counters("menagerie_photos_total", help: "Photos classified.", labels: ["species"])
        photosSearched = registry.counter("menagerie_photos_searched_total", help: "Photos searched for boxes.")
        decodeSeconds = registry.histogram("menagerie_decode_seconds", help: "Decoding and resizing a photo.")
        decodeQueueSeconds = registry.histogram(
            "menagerie_decode_queue_seconds", help: "Waiting for a decoding thread.")
        queueSeconds = registry.histograms(
            "menagerie_queue_seconds", help: "Waiting for the engine.", labels: ["model"])
        inferenceSeconds = registry.histograms(
            "menagerie_inference_seconds", help: "From a batch's start to a photo's answer.", labels: ["model"])
        engineSeconds = registry.histograms(
            "menagerie_engine_seconds", help: "One batch on a lane of the engine.", labels: ["model"])
        batchSize = registry.histograms(
            "menagerie_batch_size", help: "Photos in a batch.", labels: ["model"], bounds: [1, 2, 4, 8, 16, 32, 64])
        batches = registry.counters(
            "menagerie_batches_total", help: "Batches by what started them.", labels: ["model", "reason"])
        queueDepth = registry.gauges(
            "menagerie_queue_depth", help: "Photos waiting for the engine.", labels: ["model"])
        dropped = registry.counters(
            "menagerie_photos_dropped_total", help: "Photos given up before the engine.", labels: ["reason"])
        scansSaved = registry.counter("menagerie_scans_saved_total", help: "Scans written to the history.")
        keys = registry.gauges("menagerie_keys", help: "Keys in force.", labels: ["role"])
        // There from the start, so that a rate can be told from the first refusal.
        for reason in [RefusalReason.host, .crossSite].map(\.rawValue) + AccessRefusal.allCases.map(\.rawValue) {
            _ = refusals.with(reason)
        }
    }

    func refuse(_ reason: String) { refusals.with(reason).increment() }
}

extension ServiceMetrics: ServerObserver {
    package func connectionOpened() {
        connections.add(1)
        connectionsTotal.increment()
    }

    package func connectionClosed() { connections.add(-1) }

    package func bytesReceived(_ count: Int) { bytesReceived.increment(by: count) }

    package func bytesSent(_ count: Int) { bytesSent.increment(by: count) }

    package func refused(_ reason: RefusalReason) { refuse(reason.rawValue) }

    package func requestCompleted(_ record: RequestRecord) {
        let outcome = Outcome(method: record.method, route: record.route, status: record.status.code)
        let (count, seconds) = outcomes.withLock { known in
            if let instruments = known[outcome] { return instruments }
            let route = record.route ?? "none"
            let method = Method.known.contains(record.method) ? record.method.rawValue : "other"
            let instruments = (
                requests.with(method, route, String(record.status.code)), requestSeconds.with(route)
            )
            // A client can invent methods, but not so many that they would fill the memory.
            if known.count < 10_000 { known[outcome] = instruments }
            return instruments
        }
        count.increment()
        seconds.observe(record.duration / .seconds(1))
    }
}
