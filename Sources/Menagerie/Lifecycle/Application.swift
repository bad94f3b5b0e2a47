import API
import Base
import Connections
import Encyclopaedia
import Foundation
import HTTP
import Imaging
import Logging
import Recognition
import Security
import ServiceLifecycle
import Storage
import Telemetry
import Training
import UnixSignals
import Video

/// The whole service: it reads the configuration, migrates the history, warms up the model, and listens.
struct Application: Sendable {
    private let recogniser: Recogniser
    private let history: HistoryStore
    private let training: TrainingService
    private let server: Server
    private let access: AccessControl
    private let videos: VideoJobs
    private let connected: Connected
    private let needsSandbox: Bool
    private let isSecure: Bool
    private let network: LocalNetwork?
    /// Sends spans. Nil if nothing is traced.
    private let exporter: SpanExporter?
    /// The time that the service goes on serving after it was told to stop.
    private let drainDelay: Duration
    private let readiness: Readiness
    private let logger: Logger

    /// Opens the history and loads the model concurrently. Nothing listens yet.
    ///
    /// - Parameters:
    ///   - log: writes the access log.
    ///   - network: the phones to serve, and their certificate. Nil without `--lan`.
    static func start(
        _ settings: Settings, logger: Logger, log: LogWriter, network: LocalNetwork? = nil
    ) async throws -> Application {
        let start = ContinuousClock.now
        guard Processor.level != .tooOld else {
            throw SettingsError("This processor has no SSE4.2, which the networks need; `menagerie doctor` says more.")
        }
        let metrics = ServiceMetrics()
        metrics.registry.show(settings, log)
        let readiness = Readiness()
        // These settings are checked before slow work, so that an error is reported at once.
        let access = AccessControl(try await AccessControl.Options(settings, logger: logger), observer: metrics)
        try await access.readEndedSessions()
        let exporter = try SpanExporter(settings)
        exporter?.register(in: metrics.registry)
        let traces = exporter.map { RequestTraces(exporter: $0, share: settings[Settings.traceShare]) }
        let middleware = try Self.middleware(settings, access: access, observer: metrics, traces: traces)

        let needsSandbox = settings[Settings.videoSandbox] == Sandbox.Demand.required.rawValue
        async let sandbox: Void = needsSandbox ? checkSandbox(isRequired: true, logger) : ()
        var options = try MenagerieAPI.Options(settings)
        options.authority = network?.authority(settings)
        try DataDirectory(settings).log(logger)
        let configuration = try HistoryConfiguration(settings)
        if case .sqlite = configuration.backend, settings.given(Settings.postgreSQLURL) != nil {
            logger.warning("history.postgresql_url is not used, because history.backend is sqlite")
        }
        async let openedHistory = HistoryStore.open(configuration, logger: Logger(label: "menagerie.history"))
        async let articles = Encyclopaedia.bundled()
        let recogniser: Recogniser
        do {
            recogniser = try await startRecogniser(
                settings, observer: RecognitionLog(logger: Logger(label: "menagerie.models"), next: metrics),
                isService: true)
        } catch {
            try? await openedHistory.close()
            throw error
        }
        let history: HistoryStore
        do {
            history = try await openedHistory
        } catch {
            recogniser.stop()
            throw error
        }
        do {
            try await sandbox
            let encyclopaedia = try await articles
            let training = try TrainingService(
                try TrainingService.Configuration(settings), recogniser: recogniser, history: history)
            let connected = try await Connected(
                settings, recogniser: recogniser, history: history, encyclopaedia: encyclopaedia, training: training,
                metrics: metrics)
            let api = try MenagerieAPI(
                recogniser: recogniser, encyclopaedia: encyclopaedia, history: history, metrics: metrics,
                readiness: readiness, access: access, training: training, cameras: connected.cameras, options: options)
            let server = try makeServer(
                settings, api.router, middleware, metrics, log: logger.logLevel <= .info ? log : nil,
                isTraced: exporter != nil)
            logger.info(
                "Ready to listen",
                metadata: [
                    "model": "\(recogniser.defaultModel)", "articles": "\(encyclopaedia.articles.count)",
                    "seconds": "\(((ContinuousClock.now - start) / .milliseconds(1)).rounded() / 1000)",
                ])
            return Application(
                recogniser: recogniser, history: history, training: training, server: server, access: access,
                videos: api.videos, connected: connected,
                needsSandbox: needsSandbox, isSecure: !settings[Settings.tlsCertificate].isEmpty, network: network,
                exporter: exporter, drainDelay: .seconds(settings[Settings.drainDelay]), readiness: readiness,
                logger: logger)
        } catch {
            recogniser.stop()
            try? await history.close()
            throw error
        }
    }

    /// - Parameter log: writes a line for each request. Nil if the level excludes such lines.
    private static func makeServer(
        _ settings: Settings, _ router: Router, _ middleware: [any Middleware], _ metrics: ServiceMetrics,
        log: LogWriter?, isTraced: Bool
    ) throws -> Server {
        var observer: any ServerObserver = metrics
        if let log, settings[Settings.accessLog] {
            observer = AccessLog(writer: log, next: metrics, logsTraces: settings[Settings.logTraces])
        }
        if isTraced { observer = TracedRequests(next: observer) }
        let server = Server(
            configuration: try ServerConfiguration(settings), router: router, middleware: middleware,
            observer: observer, logger: Logger(label: "menagerie.http"))
        metrics.show(server)
        return server
    }

    /// Serves until SIGTERM or SIGINT, or until a part of the service fails. Then it drains and closes the history
    /// last.
    ///
    /// - Throws: the first failure.
    func run(_ announcer: Announcer) async throws {
        await training.start()
        // The services end in the reverse order.
        let services: [(any Service)?] = [
            exporter.map { exporter in
                BackgroundService {
                    await exporter.run()
                    // The spans of the last requests are sent too.
                    await exporter.flush()
                }
            },
            // The check starts a process, which would make the start take longer.
            needsSandbox
                ? nil : BackgroundService { [logger] in try? await Self.checkSandbox(isRequired: false, logger) },
            BackgroundService { [history] in await history.runMaintenance() },
            // Unfinished videos continue after the next start.
            BackgroundService { [videos] in await videos.run() },
            BackgroundService { [connected] in await connected.run() },
            BackgroundService { [access, logger] in await access.followChanges(logger) },
            network.map { network in
                BackgroundService { [server, logger] in await network.renewCertificate(of: server, logger) }
            },
        ]
        let http = HTTPService(
            server: server, access: access, isSecure: isSecure, readiness: readiness, announcer: announcer,
            network: network, drainDelay: drainDelay, logger: logger)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.compactMap(\.self).map { .init(service: $0) } + [
                    .init(
                        service: http, successTerminationBehavior: .gracefullyShutdownGroup,
                        failureTerminationBehavior: .gracefullyShutdownGroup)
                ],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: Logger(label: "menagerie.lifecycle")))
        do {
            try await group.run()
        } catch {
            do {
                try await close()
            } catch {
                logger.error("The history was not closed", metadata: ["error": "\(error)"])
            }
            throw error
        }
        try await close()
    }

    /// Logs which protections the processes that decode videos lack.
    /// - Throws: ``SettingsError`` if they are required.
    private static func checkSandbox(isRequired: Bool, _ logger: Logger) async throws {
        let found = await onOwnThread { Result { () throws(ProcessError) in try Sandbox.strength() } }
        switch found {
        case .success(let strength) where strength.isWhole:
            guard !strength.replaced.isEmpty else { return }
            logger.info(
                "The kernel refuses namespaces; Landlock locks in the processes that decode videos",
                metadata: ["refused": "\(strength.replaced)"])
        case .success(let strength) where isRequired:
            throw SettingsError(
                "video.sandbox is required, but the kernel allows videos no process with \(strength.lacking); "
                    + "“menagerie doctor” says what to do.")
        case .success(let strength):
            logger.warning(
                "The sandbox of the processes that decode videos is not whole; menagerie doctor says what to do",
                metadata: ["missing": "\(strength.lacking)"])
        case .failure(let error) where isRequired:
            throw SettingsError("video.sandbox is required, but \(error).")
        case .failure(let error):
            logger.warning("No process can be started that decodes videos", metadata: ["error": "\(error)"])
        }
    }

    private func close() async throws {
        await training.stop()
        recogniser.stop()
        try await history.close()
        logger.notice("Stopped")
    }

    private static func middleware(
        _ settings: Settings, access: AccessControl, observer: any ServerObserver, traces: RequestTraces?
    ) throws -> [any Middleware] {
        MenagerieAPI.middleware(
            hosts: try AllowedHosts(settings),
            origins: try CORSMiddleware.Origins(settings),
            compresses: settings[Settings.compression], access: access, observer: observer, traces: traces)
    }

    /// Starts a recogniser on a thread of its own, because compiling the model keeps the processor busy for a while.
    ///
    /// - Parameters:
    ///   - model: the model to load. Nil loads the one in the settings.
    ///   - isService: whether compiled models are kept in the data directory even if it is still to be made.
    static func startRecogniser(
        _ settings: Settings, observer: any RecognitionObserver = NoObserver(), model: String? = nil,
        isService: Bool = false
    ) async throws -> Recogniser {
        var chosen = RecogniserOptions(
            settings, modelsDirectory: try AssetLocator.models(settings), defaultModel: model, isService: isService)
        chosen.trial = ModelTrial(settings, observer: observer)
        let options = chosen
        let recogniser: Recogniser
        do {
            recogniser = try await onOwnThread { try Recogniser(options: options, observer: observer) }
        } catch let error as RecognitionError where model == nil {
            throw SettingsError("recognition.default_model is wrong: \(error)")
        }
        do {
            try await recogniser.checkDetector()
        } catch {
            recogniser.stop()
            throw SettingsError("detection.model is wrong: \(error)")
        }
        return recogniser
    }
}

/// Work that is cancelled when the process is told to stop.
struct BackgroundService: Service {
    let work: @Sendable () async -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown(work)
        // The work may end earlier, but a service that ends would stop the process.
        try await gracefulShutdown()
    }
}

extension MetricRegistry {
    /// Adds metrics for the version, the configured numbers, and the log.
    fileprivate func show(_ settings: Settings, _ log: LogWriter) {
        computed(
            .gauge, "menagerie_build_info", help: "The build, always 1.",
            labels: ["version", "swift", "processor"]
        ) { [([Version.current, Version.compiler, Version.processor], 1)] }
        let numbers = Settings.all.compactMap { setting in
            setting.number(in: settings).map { (labels: [setting.name], value: $0) }
        }
        computed(
            .gauge, "menagerie_setting", help: "Numbers of the configuration in use, in the unit that the name says.",
            labels: ["name"]
        ) { numbers }
        computed(
            .counter, "menagerie_log_lines_dropped_total",
            help: "Log lines lost because standard error was too slow or could not be written to."
        ) { [([], Double(log.droppedLines))] }
    }
}
