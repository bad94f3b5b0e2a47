import Base
package import HTTP
import Metrics
package import Recognition
package import Security
import Storage
package import Telemetry
import Video

/// The Prometheus metrics of server and recognition.
package final class ServiceMetrics: Sendable {
    package let registry = MetricRegistry()
    let requests: MetricFamily<Counter>
    let requestSeconds: MetricFamily<Timer>
    let connections: MetricFamily<Meter>
    let connectionsTotal: MetricFamily<Counter>
    let bytesReceived: MetricFamily<Counter>
    let bytesSent: MetricFamily<Counter>
    private let refusals: MetricFamily<Counter>
    let photos: MetricFamily<Counter>
    let photosSearched: Counter
    let decodeSeconds: Timer
    let decodeQueueSeconds: Timer
    let queueSeconds: MetricFamily<Timer>
    let inferenceSeconds: MetricFamily<Timer>
    let secondStageSeconds: MetricFamily<Timer>
    let engineSeconds: MetricFamily<Timer>
    let queueDepth: MetricFamily<Meter>
    let dropped: MetricFamily<Counter>
    let trials: MetricFamily<Counter>
    private let scansSaved: Counter
    let videos: MetricFamily<Counter>
    let videoFrames: Counter
    private let helperCrashes: MetricFamily<Counter>
    let live: LiveMetrics
    let trainings: TrainingMetrics
    let keys: MetricFamily<Meter>

    package init() {
        requests = registry.counters(
            "menagerie_http_requests_total", help: "Requests answered.", labels: ["method", "route", "status"])
        requestSeconds = registry.timers(
            "menagerie_http_request_duration_seconds", help: "From the end of the header to the end of the answer.",
            labels: ["route"])
        connections = registry.meters("menagerie_http_connections", help: "Open connections.")
        connectionsTotal = registry.counters("menagerie_http_connections_total", help: "Connections accepted.")
        bytesReceived = registry.counters("menagerie_http_received_bytes_total", help: "Bytes read from clients.")
        bytesSent = registry.counters("menagerie_http_sent_bytes_total", help: "Bytes written to clients.")
        refusals = registry.counters(
            "menagerie_refusals_total", help: "Connections, requests and photos refused, by reason.", labels: ["reason"]
        )
        photos = registry.counters("menagerie_photos_total", help: "Photos classified.", labels: ["species"])
        photosSearched = registry.counter("menagerie_photos_searched_total", help: "Photos searched for boxes.")
        decodeSeconds = registry.timer("menagerie_decode_seconds", help: "Decoding and resizing a photo.")
        decodeQueueSeconds = registry.timer(
            "menagerie_decode_queue_seconds", help: "Waiting for a thread that decodes.")
        queueSeconds = registry.timers("menagerie_queue_seconds", help: "Waiting for a thread.", labels: ["model"])
        inferenceSeconds = registry.timers(
            "menagerie_inference_seconds", help: "The network on one photo.", labels: ["model"])
        secondStageSeconds = registry.timers(
            "menagerie_second_stage_seconds",
            help: "The second network of a cascade, for each photo of which the first was not sure.", labels: ["model"])
        engineSeconds = registry.timers(
            "menagerie_engine_seconds", help: "One photo on a thread, decoding included.", labels: ["model"])
        queueDepth = registry.meters("menagerie_queue_depth", help: "Photos waiting for a thread.", labels: ["model"])
        dropped = registry.counters(
            "menagerie_photos_dropped_total", help: "Photos whose wait ended without an answer.", labels: ["reason"])
        trials = registry.counters(
            "menagerie_model_trials_total", help: "Models tried in a helper process, by outcome.",
            labels: ["outcome"])
        scansSaved = registry.counter("menagerie_scans_saved_total", help: "Scans written to the history.")
        videos = registry.counters(
            "menagerie_videos_total", help: "Videos that were worked on, by how it ended.", labels: ["state"])
        videoFrames = registry.counter("menagerie_video_frames_total", help: "Pictures of videos that were looked at.")
        helperCrashes = registry.counters(
            "menagerie_helper_crashes_total",
            help: "Helper processes that crashed while they read a video or tried a model.",
            labels: ["of"])
        for content in HelperContent.allCases { _ = helperCrashes.with(content.rawValue) }
        live = LiveMetrics(registry: registry)
        trainings = TrainingMetrics(registry: registry)
        keys = registry.meters("menagerie_keys", help: "Keys in force.", labels: ["role"])
        // These counters exist from the start, so that a rate is known from the first refusal.
        for reason in [RefusalReason.host, .crossSite, .bodyMemory].map(\.rawValue)
            + AccessRefusal.allCases.map(\.rawValue)
        {
            _ = refusals.with(reason)
        }
        registry.addProcessMetrics()
    }

    /// Registers metrics of the recogniser's load and of the models and the history. Call it once for each.
    func show(_ recogniser: Recogniser, _ history: HistoryStore) {
        registry.computed(
            .gauge, "menagerie_photos_in_flight",
            help: "Photos inside, from admission to answer; recognition.max_queue_size bounds them."
        ) { [([], Double(recogniser.inFlight))] }
        let models = recogniser.models
        registry.computed(
            .gauge, "menagerie_model_memory_bytes", help: "Estimated memory of a loaded model.",
            labels: ["model", "version"]
        ) {
            models.loadedMemory.sorted { $0.model.description < $1.model.description }
                .map { ([$0.model.name, $0.model.version ?? ""], Double($0.bytes)) }
        }
        // The first reading begins here, so that the first request for metrics finds it.
        _ = history.knownUsage
        let sizes: [(name: String, help: String, size: @Sendable (HistoryUsage) -> Int)] = [
            ("menagerie_history_scans", "Scans in the history.", { $0.scans }),
            ("menagerie_history_photo_bytes", "Bytes of the scans' photos.", { $0.photoBytes }),
            ("menagerie_history_database_bytes", "Bytes of the history's database.", { $0.databaseBytes }),
        ]
        for (name, help, size) in sizes {
            registry.computed(.gauge, name, help: help) {
                history.knownUsage.map { [([], Double(size($0)))] } ?? []
            }
        }
    }

    /// Registers metrics of waiting and running videos. Call it once.
    func show(_ videos: VideoJobs) {
        registry.computed(.gauge, "menagerie_videos", help: "Videos that wait or are worked on.", labels: ["state"]) {
            let counts = videos.table.counts
            return [(["waiting"], Double(counts.waiting)), (["working"], Double(counts.running))]
        }
    }

    /// Registers metrics of the memory for request bodies and of the certificate. Call it once.
    package func show(_ server: Server) {
        let bodies = server.bodies
        registry.computed(
            .gauge, "menagerie_http_body_bytes",
            help: "Bytes of request bodies in memory; http.body_memory_bytes bounds them."
        ) { [([], Double(bodies.held))] }
        registry.computed(
            .gauge, "menagerie_tls_certificate_expiry_timestamp_seconds",
            help: "End of the certificate's validity, since 1970. There is no value without TLS."
        ) { [weak server] in server?.certificateExpiry.map { [([], Double($0))] } ?? [] }
    }

    package func savedScan() { scansSaved.increment() }

    func refuse(_ reason: String) { refusals.with(reason).increment() }

    /// The kinds of content that may crash a helper process.
    enum HelperContent: String, CaseIterable {
        case video, model
    }

    func crashed(over content: HelperContent) { helperCrashes.with(content.rawValue).increment() }
}

extension ServiceMetrics: ServerObserver {
    package func observer(ofLoop index: Int) -> any ServerObserver { LoopMetrics(self) }

    package func refused(_ reason: RefusalReason) { refuse(reason.rawValue) }
}

extension ServiceMetrics: AccessObserver {
    package func refused(_ reason: AccessRefusal) { refuse(reason.rawValue) }

    package func holds(_ keys: Int, of role: Role) { self.keys.with(role.rawValue).set(keys) }
}

extension ServiceMetrics: RecognitionObserver {
    package func decoded(seconds: Double) { decodeSeconds.recordSeconds(seconds) }

    package func waitedToDecode(seconds: Double) { decodeQueueSeconds.recordSeconds(seconds) }

    package func observer(ofModel model: String) -> any RecognitionObserver { ModelMetrics(self, model: model) }

    package func refused(_ cause: RefusalCause) { refuse(cause.rawValue) }

    package func tried(_ outcome: TrialOutcome) {
        trials.with(outcome.rawValue).increment()
        if outcome == .crashed { crashed(over: .model) }
    }

    package func dropped(reason: DropReason) { dropped.with(reason.rawValue).increment() }
}
