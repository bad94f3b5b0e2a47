import API
import Base
import Connections
import Foundation
import Imaging
import Logging
import Recognition
import Storage
import Telemetry
import Training
import Video

extension HistoryConfiguration {
    /// - Throws: ``SettingsError`` if the server's address is missing, or the folder is undetermined.
    init(_ settings: Settings) throws {
        self.init(
            backend: try Self.backend(settings), directory: try DataDirectory(settings).path,
            retention: RetentionPolicy(
                maximumAge: settings.given(Settings.keepDays).map { $0 * 86_400 },
                maximumBytes: settings.given(Settings.keepBytes)),
            options: RepositoryOptions(undoGrace: settings[Settings.undoGrace]))
    }

    static func backend(_ settings: Settings) throws -> Backend {
        guard settings[Settings.historyBackend] == "postgresql" else { return .sqlite }
        guard let address = settings.given(Settings.postgreSQLURL) else {
            throw SettingsError(
                "\(Settings.historyBackend.name) is postgresql, but \(Settings.postgreSQLURL.name) is empty; it has to be "
                    + "an address such as postgresql://user@host/database.")
        }
        return .postgreSQL(connectionString: address)
    }
}

extension TrainingLimits {
    init(_ settings: Settings) {
        self.init()
        photos = settings[Settings.maxTrainingPhotos]
        classes = settings[Settings.maxTrainingClasses]
        photoBytes = settings[Settings.maxBodyBytes]
        totalBytes = settings[Settings.maxTrainingUnpacked]
    }
}

extension TrainingService.Configuration {
    /// - Throws: ``SettingsError`` if the folder is undetermined.
    init(_ settings: Settings) throws {
        let data = try DataDirectory(settings).path
        self.init(directory: data + "/training", models: data + "/models")
        limits = TrainingLimits(settings)
        queue = settings[Settings.maxTrainingsWaiting]
        cacheBytes = settings[Settings.featureCache] << 20
        folderRoot = settings.given(Settings.trainingFolderRoot)
        cores = ProcessInfo.processInfo.activeProcessorCount
    }
}

extension MenagerieAPI.Options {
    /// - Throws: ``SettingsError`` for a missing folder or an invalid address.
    init(_ settings: Settings) throws {
        let page = try AssetLocator.directory("Public", configured: Settings.publicDirectory, in: settings)
        self.init(publicDirectory: page.path, serverVersion: Version.current)
        maximumUploadBytes = settings[Settings.maxBodyBytes]
        maximumImportBytes = settings.given(Settings.maxImportBytes)
        savesByDefault = settings[Settings.saveByDefault]
        keepsMetadata = settings[Settings.keepMetadata]
        requestTimeout = .seconds(settings[Settings.requestTimeout])
        breedPhotos = try BreedPhotoOptions(settings)
        maximumTrainingBytes = settings[Settings.maxTrainingBytes]
        videos.maximumBytes = settings[Settings.videoMaxBytes]
        videos.keptBytes = settings[Settings.videoKeepBytes]
        videos.limits = VideoLimits(settings)
        videos.concurrency = settings[Settings.videoConcurrency]
        videos.maximumWaiting = settings[Settings.videoMaxWaiting]
        live.sessions = settings[Settings.liveSessions]
        live.frameBytes = settings[Settings.liveFrameBytes]
        live.idle = .seconds(settings[Settings.liveIdleTimeout])
        connections = ConnectionOptions(
            deepStack: settings[Settings.deepStack], photoPrism: settings[Settings.photoPrism])
    }
}

extension BreedPhotoOptions {
    /// - Throws: ``SettingsError`` for a missing folder or an invalid address.
    init(_ settings: Settings) throws {
        self.init(
            directory: try settings.given(Settings.breedPhotosDirectory).map { _ in
                try AssetLocator.directory("", configured: Settings.breedPhotosDirectory, in: settings).path
            },
            includesOwnScans: settings[Settings.ownScans],
            dogCEO: settings[Settings.allowDogCEO] ? try DogCEO(settings) : nil)
    }
}

extension DogCEO {
    fileprivate init(_ settings: Settings) throws {
        self.init(
            url: try settings.url(Settings.dogCEOURL, like: "https://dog.ceo/api"),
            cacheDirectory: try DataDirectory(settings).path + "/dog.ceo",
            cacheBytes: settings[Settings.dogCEOCacheBytes], timeout: settings[Settings.dogCEOTimeout])
    }
}

extension ModelTrial {
    /// Models that passed a trial are remembered in the data directory, if there is one.
    convenience init(_ settings: Settings, observer: any RecognitionObserver = NoObserver()) {
        self.init(
            limits: Limits(memory: settings[Settings.trialMemory] << 20, seconds: settings[Settings.trialTime]),
            directory: (try? DataDirectory(settings)).map { $0.path + "/tried" }, observer: observer)
    }
}

extension RecogniserOptions {
    /// - Parameters:
    ///   - defaultModel: nil takes the one in the settings.
    ///   - isService: whether the data directory will be there.
    init(_ settings: Settings, modelsDirectory: String, defaultModel: String?, isService: Bool) {
        self.init(
            modelsDirectory: modelsDirectory, defaultModel: defaultModel ?? settings[Settings.defaultModel],
            maximumInFlight: settings[Settings.maxQueueSize],
            cores: settings.given(Settings.recognitionThreads) ?? ProcessInfo.processInfo.activeProcessorCount,
            queue: QueuePolicy(maximumDepth: settings[Settings.maxQueueSize]),
            limits: ImageLimits(
                maximumBytes: settings[Settings.maxBodyBytes], maximumPixels: settings[Settings.maxPixels]))
        modelLimits = ModelRepository.Limits(
            memory: settings.given(Settings.modelMemory).map { $0 << 20 },
            idleTimeout: settings.given(Settings.modelIdleTimeout).map { .seconds($0) })
        detectionModel = settings.given(Settings.detectionModel)
        guard let data = (try? DataDirectory(settings))?.path else { return }
        trainedModelsDirectory = data + "/models"
        var cache = data
        if !isService && !FileSystem.isDirectory(data),
            let folder = DataDirectory.folder("XDG_CACHE_HOME", orInHome: ".cache", ProcessInfo.processInfo.environment)
        {
            try? FileSystem.makeDirectory(folder, flushing: false)
            cache = folder
        }
        engine.cacheDirectory = cache + "/compiled"
    }
}

extension SpanExporter {
    /// Nil if nothing is traced.
    ///
    /// - Throws: ``SettingsError`` for an invalid endpoint.
    convenience init?(_ settings: Settings) throws {
        if settings.given(Settings.traceEndpoint) == nil { return nil }
        self.init(
            endpoint: try settings.url(Settings.traceEndpoint, like: "http://127.0.0.1:4318/v1/traces"),
            resource: Resource(
                name: settings[Settings.traceServiceName], version: Version.current,
                instance: "\(ProcessInfo.processInfo.hostName):\(ProcessInfo.processInfo.processIdentifier)"),
            logger: Logger(label: "menagerie.traces"))
    }
}
