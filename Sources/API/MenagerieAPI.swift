package import Connections
package import Encyclopaedia
import Foundation
package import HTTP
package import Recognition
package import Security
package import Storage
import Streams
package import Training
package import Video

/// The whole HTTP interface: the endpoints with what they need, and the router to them.
package struct MenagerieAPI: Sendable {
    /// The operator's settings.
    package struct Options: Sendable {
        /// The largest upload in bytes.
        package var maximumUploadBytes = 32 << 20
        /// The largest file of an import in bytes; nil sets no limit.
        package var maximumImportBytes: Int?
        /// The largest body of a training in bytes.
        package var maximumTrainingBytes = 2 << 30
        /// Whether a scan is saved when the request does not say.
        package var savesByDefault = true
        /// Whether saved photos keep place, time and camera when the request does not say.
        package var keepsMetadata = false
        /// The time that a photo may wait before it is dropped.
        package var requestTimeout = Duration.seconds(30)
        /// The folder of the web page.
        package var publicDirectory: String
        /// The sources of a breed's photos.
        package var breedPhotos = BreedPhotoOptions()
        package var videos = VideoOptions()
        package var live = LiveLimits()
        /// The interfaces for other programs.
        package var connections = ConnectionOptions()
        /// The service's own authority's certificate, in DER; nil without such an authority.
        package var authority: [UInt8]?
        /// The server's version in the Open Inference Protocol.
        package var serverVersion: String

        package init(publicDirectory: String, serverVersion: String) {
            self.publicDirectory = publicDirectory
            self.serverVersion = serverVersion
        }
    }

    /// The router of all routes. It never changes.
    package let router: Router
    /// The video jobs. The owner of the service has to run them too.
    package let videos: VideoJobs

    /// - Throws: an error if the web page's folder, the folder of breed photos or the OpenAPI document cannot be read.
    package init(
        recogniser: Recogniser, encyclopaedia: Encyclopaedia, history: HistoryStore, metrics: ServiceMetrics,
        readiness: Readiness, access: AccessControl? = nil, training: TrainingService? = nil,
        cameras: CameraService, options: Options
    ) throws {
        metrics.show(recogniser, history)
        if let training { metrics.trainings.show(training, in: metrics.registry) }
        var router = Router()
        OperationEndpoints(
            metrics: metrics.registry, readiness: readiness, recogniser: recogniser, openAPI: try Self.openAPIDocument()
        ).register(in: &router)
        AuthorityEndpoint(certificate: options.authority).register(in: &router)
        let access = access ?? AccessControl(AccessControl.Options(), observer: metrics)
        SessionEndpoints(access: access).register(in: &router)
        KeyEndpoints(access: access).register(in: &router)
        BreedEndpoints(encyclopaedia: encyclopaedia).register(in: &router)
        try BreedPhotoEndpoints(encyclopaedia: encyclopaedia, history: history, options: options.breedPhotos)
            .register(in: &router)
        FavouriteEndpoints(history: history, encyclopaedia: encyclopaedia).register(in: &router)
        CollectionEndpoint(history: history, encyclopaedia: encyclopaedia).register(in: &router)
        HistoryEndpoints(
            history: history, encyclopaedia: encyclopaedia, recogniser: recogniser, individuals: training?.individuals
        ).register(in: &router)
        HistoryTransferEndpoints(
            history: history, encyclopaedia: encyclopaedia, recogniser: recogniser, individuals: training?.individuals,
            options: options
        ).register(in: &router)
        ModelEndpoints(recogniser: recogniser).register(in: &router)
        TrainingEndpoints(service: training, maximumBytes: options.maximumTrainingBytes).register(in: &router)
        EvaluationEndpoint(service: training, maximumBytes: options.maximumTrainingBytes).register(in: &router)
        IndividualEndpoints(history: history, service: training?.individuals).register(in: &router)
        InferenceEndpoints(recogniser: recogniser, readiness: readiness, options: options).register(in: &router)
        ClassifyEndpoint(
            recogniser: recogniser, encyclopaedia: encyclopaedia, history: history, metrics: metrics,
            training: training, options: options
        ).register(in: &router)
        DetectEndpoint(recogniser: recogniser, encyclopaedia: encyclopaedia, metrics: metrics, options: options)
            .register(in: &router)
        let watcher = PhotoWatcher(recogniser: recogniser, individuals: training?.individuals)
        DeepStackEndpoints(watcher: watcher, access: access, metrics: metrics, options: options)
            .register(in: &router)
        PhotoPrismEndpoint(watcher: watcher, encyclopaedia: encyclopaedia, metrics: metrics, options: options)
            .register(in: &router)
        let lapChannels = EventChannels()
        let laps = LapSessions(history: history, recogniser: recogniser) { lapChannels.take($1, of: $0) }
        LiveEndpoint(
            services: LiveServices(
                recogniser: recogniser, encyclopaedia: encyclopaedia, history: history, metrics: metrics, laps: laps,
                limits: options.live, lanes: FrameLanes(count: recogniser.laneCount),
                keepsMetadata: options.keepsMetadata, training: training)
        ).register(in: &router)
        LapEndpoints(laps: laps, channels: lapChannels, recogniser: recogniser, encyclopaedia: encyclopaedia).register(
            in: &router)
        CameraEndpoints(service: cameras).register(in: &router)
        let videoChannels = VideoChannels(encyclopaedia: encyclopaedia, metrics: metrics)
        let videos = VideoJobs(
            options: options.videos, recogniser: recogniser, history: history, encyclopaedia: encyclopaedia, laps: laps,
            observer: videoChannels)
        metrics.show(videos)
        VideoEndpoints(jobs: videos, channels: videoChannels).register(in: &router)
        self.videos = videos
        let page = try WebPage(directory: options.publicDirectory)
        let paths = NearPaths(router)
        router.get("/", .inline { page.response(to: $0, path: "index.html") })
        router.get(
            "/{path...}",
            .inline { request in
                let response = page.response(to: request, path: request.parameters["path"] ?? "")
                guard response.status == .notFound else { return response }
                return .problem(
                    ProblemDetails(.notFound, detail: "There is nothing at “\(request.path.prefix(200))”.")
                        .suggesting(paths.near(request.path)))
            })
        self.router = router
    }

    private static func openAPIDocument() throws -> Representation {
        guard let url = Bundle.module.url(forResource: "openapi", withExtension: "json") else {
            throw CocoaError(.fileNoSuchFile)
        }
        return Representation(json: Array(try Data(contentsOf: url)), headers: ["Cache-Control": "public, max-age=300"])
    }
}

extension MenagerieAPI {
    /// The middleware of every route. The `before` hooks run in this order. Other sites are kept out first. A preflight
    /// is answered before keys are checked, because browsers send it without one. The `after` hooks run in reverse
    /// order, so that pages that CORS lists can read refusals too, and packing comes last.
    /// - Parameters:
    ///   - origins: pages that may read answers and, if listed, change things; nil for none but our own.
    ///   - compresses: whether answers are packed.
    ///   - traces: records requests; nil if nothing is traced.
    package static func middleware(
        hosts: AllowedHosts, origins: CORSMiddleware.Origins?, compresses: Bool, access: AccessControl,
        observer: any ServerObserver, traces: (any Middleware)? = nil
    ) -> [any Middleware] {
        var trusted: Set<String> = []
        if case .listed(let listed) = origins { trusted = listed }
        var middleware: [any Middleware] = traces.map { [$0] } ?? []
        if compresses { middleware.append(CompressionMiddleware()) }
        middleware.append(
            SiteProtection(
                hosts: hosts, origins: trusted, hostsSetting: "http.allowed_hosts",
                originsSetting: "http.cors_origins", observer: observer))
        if let origins { middleware.append(CORSMiddleware(origins: origins)) }
        middleware.append(access)
        middleware += [DeepStackErrors(), PhotoPrismErrors()]
        return middleware
    }
}
