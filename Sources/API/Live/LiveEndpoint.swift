import Base
import Encyclopaedia
import HTTP
import Metrics
import Recognition
import Storage
import Streams
import Training

/// The parts of the service that live streams need.
struct LiveServices: Sendable {
    let recogniser: Recogniser
    let encyclopaedia: Encyclopaedia
    let history: HistoryStore
    let metrics: ServiceMetrics
    let laps: LapSessions
    let limits: LiveLimits
    let lanes: FrameLanes
    let keepsMetadata: Bool
    /// The service for trained heads and individuals; nil without training.
    let training: TrainingService?

    /// The settings with the lap timer's model, if they leave the model open.
    ///
    /// - Throws: `ProblemDetails` and `RecognitionError` for an unknown model, head or timer.
    func completed(_ settings: LiveSettings) async throws -> LiveSettings {
        var settings = settings
        if let id = settings.laps, settings.analyser.model == nil { settings.analyser.model = try await laps.model(id) }
        let models = try await recogniser.suggestingModels {
            try await recogniser.frameModels(settings.analyser.model, detects: settings.analyser.detects)
        }
        try await recogniser.models.withModel(models.classifier) { classifier in
            for head in settings.analyser.requiredHeads where !classifier.headNames.contains(head) {
                throw RecognitionError.unknownHead(head, available: classifier.headNames)
            }
        }
        return settings
    }
}

/// `GET /live`: a WebSocket that receives a camera's frames and answers with their content.
struct LiveEndpoint: Sendable {
    let services: LiveServices
    private let seats: Seats

    init(services: LiveServices) {
        self.services = services
        seats = Seats(count: services.limits.sessions)
    }

    func register(in router: inout Router) {
        router.get("/live", .guarded(check: check, handler: { try await open($0) }))
    }

    /// Refuses at once a request that cannot become a stream.
    private func check(_ request: Request) throws {
        _ = try LiveSettings(request)
        _ = try WebSocketHandshake(request, limits: limits)
        guard seats.hasRoom else { throw full }
    }

    private func open(_ request: Request) async throws -> Response {
        let settings = try await services.completed(try LiveSettings(request))
        if let id = settings.laps { try await services.laps.check(id) }
        // The seat is taken before the handshake is answered, so that a later client finds it taken.
        guard let seat = seats.take() else { throw full }
        return try .webSocket(request, limits: limits) { socket in
            try await serve(socket, settings, seat)
        }
    }

    private func serve(_ socket: WebSocket, _ settings: LiveSettings, _ seat: Seats.Seat) async throws {
        services.metrics.live.sessions.increment()
        defer {
            services.metrics.live.sessions.decrement()
            seat.leave()
        }
        try await LiveSession(socket, services: services, settings: settings).run(settings)
    }

    private var limits: WebSocketLimits { WebSocketLimits(messageBytes: services.limits.frameBytes) }

    private var full: ProblemDetails {
        services.metrics.refuse("live_sessions")
        return .tooBusy(
            "All \(services.limits.sessions) live streams are taken. Try again in a moment.", retryAfterSeconds: 5)
    }
}

package struct LiveLimits: Sendable, Equatable {
    /// The largest number of open streams. A further one is refused.
    package var sessions = 16
    /// The largest frame in bytes. A larger one ends its stream.
    package var frameBytes = 8 << 20
    /// The time that a client may be silent, or read nothing, before its stream is closed.
    package var idle = Duration.seconds(300)

    package init() {}
}
