import API
import Base
import Encyclopaedia
import Foundation
import HTTP
import History
import Logging
import Recognition
import TestSupport
import Testing
import Training
import Video

/// The whole service on a free port, with the real model, the real articles and a history in a temporary folder.
///
/// Most tests share one, as in life; each then tells its own scans by their ids. The model is loaded once for all.
final class LiveService: Sendable {
    let port: Int
    let router: Router
    let history: HistoryStore
    let access: AccessControl
    /// nil for services that cannot train: their recogniser is shared.
    let training: TrainingService?
    /// Of the history; removed with the service.
    let dataDirectory: String
    private let isTemporary: Bool
    private let server: Server
    private let videos: VideoJobs

    static let shared = Task { try await LiveService(metrics: metrics) }

    static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
    static let recogniser = Result {
        try Recogniser(
            options: RecogniserOptions(modelsDirectory: package.appending(path: "Models").path, cores: 2),
            observer: metrics)
    }
    /// What the shared recogniser reports.
    private static let metrics = ServiceMetrics()

    /// - Parameters:
    ///   - backend: where the scans are kept.
    ///   - photos: where those of the breeds come from.
    ///   - keepsMetadata: whether saved photos keep theirs when the request does not say.
    ///   - undoGrace: in seconds.
    ///   - bodyLimit: bytes of the largest upload.
    ///   - importLimit: bytes of the largest import; nil: any.
    ///   - now: the time at which things are marked and deleted; scans have that of the machine.
    ///   - recogniser: one with other models; whoever made it stops it.
    ///   - metrics: what `/metrics` shows.
    ///   - security: keys and limits; without, everybody may do everything.
    ///   - origins: pages of other sites that may read, as the setting http.cors_origins.
    ///   - videoBytes: of all videos together; nil: as many as the standard says.
    ///   - live: of cameras.
    ///   - connections: doors for other programs; without, all are open.
    ///   - directory: of the history; it stays. nil: one that is removed with the service.
    init(
        backend: HistoryConfiguration.Backend = .sqlite, photos: BreedPhotoOptions = BreedPhotoOptions(),
        keepsMetadata: Bool = false, undoGrace: TimeInterval = 600, bodyLimit: Int = 32 << 20, importLimit: Int? = nil,
        now: @escaping @Sendable () -> Date = { Date() }, recogniser: Recogniser? = nil,
        metrics: ServiceMetrics = ServiceMetrics(), security: AccessControl.Options = AccessControl.Options(),
        origins: CORSMiddleware.Policy.Origins? = nil, training configure: TrainingService.Configuration? = nil,
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
        access = AccessControl(security, metrics: metrics)
        let recogniser = try recogniser ?? Self.recogniser.get()
        training = try configure.map { try TrainingService($0, recogniser: recogniser, history: history) }
        var videoOptions = VideoOptions(program: HelperProgram(path: Program.menagerie.url.path))
        if let videoBytes { videoOptions.keptBytes = videoBytes }
        var options = MenagerieAPI.Options(
            maximumUploadBytes: bodyLimit, maximumImportBytes: importLimit, keepsMetadata: keepsMetadata,
            publicDirectory: Self.package.appending(path: "Public").path, breedPhotos: photos, videos: videoOptions)
        options.live = live
        options.connections = connections
        let api = try MenagerieAPI(
            recogniser: recogniser, encyclopaedia: Encyclopaedia.bundled(), history: history,
            metrics: metrics, readiness: readiness, access: access, training: training, options: options)
        router = api.router
        videos = api.videos
        var limits = ParserLimits()
        limits.body = bodyLimit
        var configuration = ServerConfiguration(port: 0, loops: 1, limits: limits)
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

    /// Ends a service that is not shared.
    func stop() async throws {
        await server.shutdown()
        await training?.stop()
        await videos.shutDown()
        try await history.close()
        if isTemporary { try? FileManager.default.removeItem(atPath: dataDirectory) }
    }

    /// Looks for videos of before, as a service does when it starts.
    func resumeVideos() async { await videos.resume() }

    /// Ends the work on videos, as a service does when it ends.
    func stopVideos() async { await videos.shutDown() }

    /// One request on a connection of its own.
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
            // An early refusal may close before all is sent; the answer is there all the same.
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

/// Runs a test against the one live service.
func withService<Result: Sendable>(_ body: (LiveService) async throws -> Result) async throws -> Result {
    try await body(LiveService.shared.value)
}

/// Runs a test against a service of its own.
func withOwnService(
    backend: HistoryConfiguration.Backend = .memory, photos: BreedPhotoOptions = BreedPhotoOptions(),
    keepsMetadata: Bool = false, undoGrace: TimeInterval = 600, bodyLimit: Int = 32 << 20, importLimit: Int? = nil,
    now: @escaping @Sendable () -> Date = { Date() }, security: AccessControl.Options = AccessControl.Options(),
    origins: CORSMiddleware.Policy.Origins? = nil, videoBytes: Int? = nil, directory: String? = nil,
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
    /// The body as a JSON object.
    func object() throws -> [String: any Sendable] {
        try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: any Sendable], "\(text)")
    }

    /// The items of a page.
    func items() throws -> [[String: any Sendable]] {
        try #require(try object()["items"] as? [[String: any Sendable]], "\(text)")
    }

    /// Labels and confidences of the predictions, which have to be the same however the photo came.
    func predictions() throws -> [String] {
        let list = try #require(try object()["predictions"] as? [[String: any Sendable]], "\(text)")
        return list.map { "\($0["label"] ?? "") \($0["confidence"] ?? "")" }
    }
}
