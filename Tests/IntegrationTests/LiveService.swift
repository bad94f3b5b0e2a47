import API
import Base
import Connections
import Encyclopaedia
import Foundation
import HTTP
import Logging
import Recognition
import Security
import Storage
import Testing
import TestSupport
import Training
import Video

/// The whole service on a free port, with the real model, the real articles and a history in a temporary folder.
///
/// Most tests share one service and find their own scans by id. All share one loaded model.
final class LiveService: Sendable {
    let port: Int
    let router: Router
    let history: HistoryStore
    let access: AccessControl
    /// Nil for services that cannot train, since their recogniser is shared.
    let training: TrainingService?
    /// The folder of the history. It is removed with the service.
    let dataDirectory: String
    private let isTemporary: Bool
    private let server: Server
    private let videos: VideoJobs

    static let shared = Task { try await LiveService(metrics: metrics) }

    static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
    static let recogniser = Result {
        var options = RecogniserOptions(modelsDirectory: package.appending(path: "Models").path, cores: 2)
        options.engine.cacheDirectory = CompiledModels.folder
        return try Recogniser(options: options, observer: metrics)
    }
    private static let metrics = ServiceMetrics()

    /// - Parameters:
    ///   - backend: the store for scans.
    ///   - photos: the source of breed photos.
    ///   - keepsMetadata: whether saved photos keep their metadata by default.
    ///   - undoGrace: the grace period in seconds.
    ///   - bodyLimit: the largest upload in bytes.
    ///   - importLimit: the largest import in bytes. Nil means no limit.
    ///   - now: the time for marks and deletions. Scans use the machine's clock.
    ///   - recogniser: one with other models. The caller stops it.
    ///   - metrics: the content of `/metrics`.
    ///   - security: keys and limits. By default everybody may do everything.
    ///   - origins: other sites whose pages may read, as in the setting http.cors_origins.
    ///   - videoBytes: the limit for all videos. Nil takes the default.
    ///   - live: the limits for camera streams.
    ///   - connections: the routes for other programs. By default all are open.
    ///   - directory: the folder of the history, which stays. Nil makes one that is removed with the service.
    init(
        backend: HistoryConfiguration.Backend = .sqlite, photos: BreedPhotoOptions = BreedPhotoOptions(),
        keepsMetadata: Bool = false, undoGrace: TimeInterval = 600, bodyLimit: Int = 32 << 20, importLimit: Int? = nil,
        now: @escaping @Sendable () -> Date = { Date() }, recogniser: Recogniser? = nil,
        metrics: ServiceMetrics = ServiceMetrics(), security: AccessControl.Options = AccessControl.Options(),
        origins: CORSMiddleware.Origins? = nil, training configure: TrainingService.Configuration? = nil,
        videoBytes: Int? = nil, live: LiveLimits = LiveLimits(), directory: String? = nil,
        connections: ConnectionOptions = ConnectionOptions(deepStack: true, photoPrism: true)
    ) async throws {
        dataDirectory =
            directory
            ?? FileManager.default.temporaryDirectory.appending(path: "menagerie-\(UUID().uuidString)").path
        isTemporary = directory == nil
        let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let readiness = Readiness()
        let history = try await HistoryStore.open(
            HistoryConfiguration(
                backend: backend, directory: dataDirectory,
                options: RepositoryOptions(undoGrace: undoGrace, now: now)),
            logger: quiet)
        self.history = history
        access = AccessControl(security, observer: metrics)
        let recogniser = try recogniser ?? Self.recogniser.get()
        training = try configure.map { try TrainingService($0, recogniser: recogniser, history: history) }
        var videoOptions = VideoOptions()
        videoOptions.program = HelperProgram(path: Program.menagerie.url.path)
        if let videoBytes { videoOptions.keptBytes = videoBytes }
        var options = MenagerieAPI.Options(
            publicDirectory: Self.package.appending(path: "Public").path, serverVersion: "1.0.0")
        options.maximumUploadBytes = bodyLimit
        options.maximumImportBytes = importLimit
        options.keepsMetadata = keepsMetadata
        options.breedPhotos = photos
        options.videos = videoOptions
        options.live = live
        options.connections = connections
        let encyclopaedia = try Encyclopaedia.bundled()
        let cameras = try CameraService(
            options: CameraService.Options(isOn: false, directory: dataDirectory + "/cameras"), recogniser: recogniser,
            identifier: Identifier(encyclopaedia: encyclopaedia, individuals: training?.individuals), logger: quiet)
        let api = try MenagerieAPI(
            recogniser: recogniser, encyclopaedia: encyclopaedia, history: history, metrics: metrics,
            readiness: readiness, access: access, training: training, cameras: cameras, options: options)
        router = api.router
        videos = api.videos
        var configuration = ServerConfiguration.standard
        configuration.loops = 1
        configuration.limits.body = bodyLimit
        configuration.fixedFields = PageSecurity.fixedFields
        server = Server(
            configuration: configuration, router: api.router,
            middleware: MenagerieAPI.middleware(
                hosts: try AllowedHosts(), origins: origins, compresses: false, access: access, observer: metrics),
            observer: metrics, logger: quiet)
        await training?.start()
        port = try server.start()[0].port
        readiness.becomeReady()
    }

    func stop() async throws {
        await server.shutdown()
        await training?.stop()
        await videos.shutDown()
        try await history.close()
        if isTemporary { try? FileManager.default.removeItem(atPath: dataDirectory) }
    }

    /// Resumes videos of an earlier service, as at a start.
    func resumeVideos() async { await videos.resume() }

    /// Stops the work on videos, as at the end of a service.
    func stopVideos() async { await videos.shutDown() }

    func request(
        _ method: String, _ target: String, host: String = "localhost", headers: [(String, String)] = [],
        body: [UInt8]? = nil
    ) async throws -> RawResponse {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if let body { head += "Content-Length: \(body.count)\r\n" }
        let bytes = Array((head + "\r\n").utf8) + (body ?? [])
        let port = port
        return try await onThread {
            let client = try RawClient(port: port)
            // The service may refuse and close early. Its answer can still be read.
            try? client.send(bytes)
            return try #require(RawResponse.parse(try client.receiveAll(), toHead: method == "HEAD").last)
        }
    }

    func classify(
        _ photo: [UInt8], query: String = "save=false", type: String = "image/jpeg", key: String? = nil
    ) async throws -> RawResponse {
        let headers = [("Content-Type", type)] + (key.map { [("Idempotency-Key", $0)] } ?? [])
        return try await request("POST", "/classify?\(query)", headers: headers, body: photo)
    }
}

/// Runs a test on the shared service.
func withService<Result: Sendable>(_ body: (LiveService) async throws -> Result) async throws -> Result {
    try await body(LiveService.shared.value)
}

/// Runs a test on a new service.
func withOwnService(
    backend: HistoryConfiguration.Backend = .sqlite, photos: BreedPhotoOptions = BreedPhotoOptions(),
    keepsMetadata: Bool = false, undoGrace: TimeInterval = 600, bodyLimit: Int = 32 << 20, importLimit: Int? = nil,
    now: @escaping @Sendable () -> Date = { Date() }, security: AccessControl.Options = AccessControl.Options(),
    origins: CORSMiddleware.Origins? = nil, videoBytes: Int? = nil, directory: String? = nil,
    _ body: (LiveService) async throws -> Void
) async throws {
    let service = try await LiveService(
        backend: backend, photos: photos, keepsMetadata: keepsMetadata, undoGrace: undoGrace, bodyLimit: bodyLimit,
        importLimit: importLimit, now: now, security: security, origins: origins, videoBytes: videoBytes,
        directory: directory)
    do {
        try await body(service)
    } catch {
        try? await service.stop()
        throw error
    }
    try await service.stop()
}

extension RawResponse {
    func object() throws -> [String: any Sendable] {
        try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: any Sendable], "\(text)")
    }

    func items() throws -> [[String: any Sendable]] {
        try #require(try object()["items"] as? [[String: any Sendable]], "\(text)")
    }

    /// The labels and confidences of the predictions. They do not depend on the form of the upload.
    func predictions() throws -> [String] {
        let list = try #require(try object()["predictions"] as? [[String: any Sendable]], "\(text)")
        return list.map { "\($0["label"] ?? "") \($0["confidence"] ?? "")" }
    }
}
