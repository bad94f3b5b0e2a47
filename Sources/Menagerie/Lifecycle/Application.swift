import API
import Encyclopaedia
import Foundation
import HTTP
import History
import Imaging
import Logging
import Recognition
import ServiceLifecycle
import UnixSignals

/// Everything that runs, put together: configuration → migrations → model warmed up → listening.
struct Application: Sendable {
    private let recogniser: Recogniser
    private let history: HistoryStore
    private let server: Server
    private let isSecure: Bool
    private let readiness: Readiness
    private let logger: Logger

    /// Opens the history and loads the model side by side; nothing listens yet.
    static func start(_ settings: Settings, logger: Logger) async throws -> Application {
        let start = ContinuousClock.now
        let metrics = ServiceMetrics()
        let readiness = Readiness()

        let photos = try BreedPhotoOptions(settings)
        let configuration = try HistoryConfiguration(settings)
        async let openedHistory = HistoryStore.open(configuration, logger: Logger(label: "menagerie.history"))
        async let articles = Encyclopaedia.bundled()
        let recogniser = try await startRecogniser(
            settings, observer: RecognitionLog(logger: Logger(label: "menagerie.models"), next: metrics))
        let history = try await openedHistory
        let encyclopaedia = try await articles

        let page = try AssetLocator.directory("Public", configured: Settings.publicDirectory, in: settings)
        let api = try MenagerieAPI(
            recogniser: recogniser, encyclopaedia: encyclopaedia, history: history, metrics: metrics,
            readiness: readiness,
            options: MenagerieAPI.Options(
                maximumUploadBytes: settings[Settings.maxBodyBytes], savesByDefault: settings[Settings.saveByDefault],
                requestTimeout: .seconds(settings[Settings.requestTimeout]), publicDirectory: page.path,
                breedPhotos: photos))
        let observer: any ServerObserver =
            settings[Settings.accessLog]
            ? AccessLog(logger: Logger(label: "menagerie.access"), next: metrics) : metrics
        let server = Server(
            configuration: try ServerConfiguration(settings), router: api.router, middleware: middleware(settings),
            observer: observer,
            logger: Logger(label: "menagerie.http"))
        logger.info(
            "Ready to listen",
            metadata: [
                "model": "\(recogniser.defaultModel)", "articles": "\(encyclopaedia.articles.count)",
                "seconds": "\(((ContinuousClock.now - start) / .milliseconds(1)).rounded() / 1000)",
            ])
        return Application(
            recogniser: recogniser, history: history, server: server,
            isSecure: !settings[Settings.tlsCertificate].isEmpty,
            readiness: readiness, logger: logger)
    }

    /// Serves until SIGTERM or SIGINT, then drains, and closes the history last.
    func run() async throws {
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(service: HistoryService(history: history)),
                    .init(
                        service: HTTPService(
                            server: server, isSecure: isSecure, readiness: readiness, logger: logger),
                        successTerminationBehavior: .gracefullyShutdownGroup,
                        failureTerminationBehavior: .gracefullyShutdownGroup),
                ],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: Logger(label: "menagerie.lifecycle")))
        try await group.run()
        recogniser.stop()
        try await history.close()
        logger.notice("Stopped")
    }

    /// Compression first: its second half runs last and sees the finished answer.
    private static func middleware(_ settings: Settings) -> [any Middleware] {
        var middleware: [any Middleware] = []
        if settings[Settings.compression] { middleware.append(CompressionMiddleware()) }
        let origins = settings[Settings.corsOrigins].split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        if !origins.isEmpty {
            let policy = CORSMiddleware.Policy(origins: origins == ["*"] ? .any : .listed(Set(origins)))
            middleware.append(CORSMiddleware(policy))
        }
        return middleware
    }

    /// Compiling the model takes the processor for a while: on a thread of its own, not on the cooperative pool.
    static func startRecogniser(_ settings: Settings, observer: any RecognitionObserver) async throws -> Recogniser {
        let models = try AssetLocator.directory("Models", configured: Settings.modelsDirectory, in: settings)
        let options = RecogniserOptions(settings, modelsDirectory: models.path)
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try Recogniser(options: options, observer: observer) })
            }
        }
    }
}

extension RecogniserOptions {
    fileprivate init(_ settings: Settings, modelsDirectory: String) {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let inferenceThreads = settings[Settings.inferenceThreads]
        let decodeThreads = settings[Settings.decodeThreads]
        self.init(
            modelsDirectory: modelsDirectory, defaultModel: settings[Settings.defaultModel],
            maximumInFlight: settings[Settings.maxQueueSize], cores: inferenceThreads > 0 ? inferenceThreads : cores,
            batching: BatchPolicy(
                maximumBatchSize: settings[Settings.maxBatchSize],
                maximumQueueDepth: settings[Settings.maxQueueSize],
                maximumQueueDelay: .milliseconds(settings[Settings.maxQueueDelay])),
            limits: ImageLimits(
                maximumBytes: settings[Settings.maxBodyBytes], maximumPixels: settings[Settings.maxPixels]))
        let memory = settings[Settings.modelMemory]
        let idle = settings[Settings.modelIdleTimeout]
        modelLimits = ModelRepository.Limits(
            memory: memory > 0 ? memory << 20 : nil, idleTimeout: idle > 0 ? .seconds(idle) : nil)
        self.decodeThreads = decodeThreads > 0 ? decodeThreads : cores
    }
}

extension ServerConfiguration {
    /// - Throws: ``SettingsError`` where a certificate is named without its key, or the other way round.
    fileprivate init(_ settings: Settings) throws {
        let socket = settings[Settings.unixSocket]
        let loops = settings[Settings.loops]
        self.init(
            host: settings[Settings.host], port: settings[Settings.port],
            unixSocketPath: socket.isEmpty ? nil : socket,
            loops: loops > 0 ? loops : max(1, ProcessInfo.processInfo.activeProcessorCount / 2),
            backlog: settings[Settings.backlog], maxConnections: settings[Settings.maxConnections],
            limits: ParserLimits(
                requestLine: settings[Settings.maxTargetBytes], fields: settings[Settings.maxHeaderBytes],
                fieldCount: settings[Settings.maxHeaderFields], body: settings[Settings.maxBodyBytes]),
            timeouts: ConnectionTimeouts(
                header: .seconds(settings[Settings.headerTimeout]), body: .seconds(settings[Settings.bodyTimeout]),
                idle: .seconds(settings[Settings.idleTimeout]), write: .seconds(settings[Settings.writeTimeout])),
            drainTimeout: .seconds(settings[Settings.drainTimeout]),
            serverName: "Menagerie/" + Version.current)
        fixedFields = PageSecurity.fixedFields
        let (certificate, key) = (settings[Settings.tlsCertificate], settings[Settings.tlsKey])
        guard certificate.isEmpty == key.isEmpty else {
            throw SettingsError(
                "\(Settings.tlsCertificate.name) and \(Settings.tlsKey.name) have to be set both or neither.")
        }
        guard !certificate.isEmpty else { return }
        let maxAge = settings[Settings.hstsMaxAge]
        tls = TLSConfiguration(
            certificateChainPath: certificate, keyPath: key,
            minimumVersion: TLSConfiguration.Version(rawValue: settings[Settings.tlsMinimumVersion]) ?? .tls12,
            strictTransportMaxAge: maxAge > 0 ? maxAge : nil)
    }
}
