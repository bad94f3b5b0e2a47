import API
import Base
import Connections
import Foundation
import History
import Imaging
import Recognition
import Training

extension HistoryConfiguration {
    /// - Throws: ``SettingsError`` if the server's address is missing, or the folder is undetermined.
    init(_ settings: Settings) throws {
        let days = settings[Settings.keepDays]
        let bytes = settings[Settings.keepBytes]
        self.init(
            backend: try Self.backend(settings), directory: try DataDirectory(settings).path,
            retention: RetentionPolicy(
                maximumAge: days > 0 ? days * 86_400 : nil, maximumBytes: bytes > 0 ? bytes : nil),
            options: RepositoryOptions(undoGrace: settings[Settings.undoGrace]))
    }

    private static func backend(_ settings: Settings) throws -> Backend {
        guard settings[Settings.historyBackend] == "postgresql" else { return .sqlite }
        let address = settings[Settings.postgreSQLURL]
        guard !address.isEmpty else {
            throw SettingsError(
                "\(Settings.historyBackend.name) is postgresql, but \(Settings.postgreSQLURL.name) is empty; it has to be "
                    + "an address such as postgresql://user@host/database.")
        }
        return .postgreSQL(connectionString: address)
    }
}

extension TrainingLimits {
    init(_ settings: Settings) {
        self.init(
            photos: settings[Settings.maxTrainingPhotos], classes: settings[Settings.maxTrainingClasses],
            photoBytes: settings[Settings.maxBodyBytes], totalBytes: settings[Settings.maxTrainingUnpacked])
    }
}

extension TrainingService.Configuration {
    /// - Throws: ``SettingsError`` if the folder is undetermined.
    init(_ settings: Settings) throws {
        let data = try DataDirectory(settings).path
        let root = settings[Settings.trainingFolderRoot]
        self.init(
            directory: data + "/training", models: data + "/models", limits: TrainingLimits(settings),
            queue: settings[Settings.maxTrainingsWaiting], cacheBytes: settings[Settings.featureCache] << 20,
            folderRoot: root.isEmpty ? nil : root, cores: ProcessInfo.processInfo.activeProcessorCount)
    }
}

extension BreedPhotoOptions {
    /// - Throws: ``SettingsError`` for a missing folder or an invalid address.
    init(_ settings: Settings) throws {
        let directory = settings[Settings.breedPhotosDirectory]
        self.init(
            directory: directory.isEmpty
                ? nil
                : try AssetLocator.directory("", configured: Settings.breedPhotosDirectory, in: settings).path,
            includesOwnScans: settings[Settings.ownScans],
            remote: settings[Settings.allowDogCEO] ? try DogCEO.Options(settings) : nil)
    }
}

extension DogCEO.Options {
    fileprivate init(_ settings: Settings) throws {
        let address = settings[Settings.dogCEOURL]
        guard let url = URL(string: address), ["http", "https"].contains(url.scheme), url.host() != nil else {
            throw SettingsError(
                "\(Settings.dogCEOURL.name) is \"\(address)\", but has to be an address such as https://dog.ceo/api.")
        }
        self.init(
            url: url, cacheDirectory: try DataDirectory(settings).path + "/dog.ceo",
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
    /// - Parameter defaultModel: nil takes the one in the settings.
    init(_ settings: Settings, modelsDirectory: String, defaultModel: String?) {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let threads = settings[Settings.recognitionThreads]
        self.init(
            modelsDirectory: modelsDirectory, defaultModel: defaultModel ?? settings[Settings.defaultModel],
            maximumInFlight: settings[Settings.maxQueueSize], cores: threads > 0 ? threads : cores,
            queue: QueuePolicy(maximumDepth: settings[Settings.maxQueueSize]),
            limits: ImageLimits(
                maximumBytes: settings[Settings.maxBodyBytes], maximumPixels: settings[Settings.maxPixels]))
        let memory = settings[Settings.modelMemory]
        let idle = settings[Settings.modelIdleTimeout]
        modelLimits = ModelRepository.Limits(
            memory: memory > 0 ? memory << 20 : nil, idleTimeout: idle > 0 ? .seconds(idle) : nil)
        let detector = settings[Settings.detectionModel]
        detectionModel = detector.isEmpty ? nil : detector
        trainedModelsDirectory = (try? DataDirectory(settings)).map { $0.path + "/models" }
        // Without a folder, each start compiles the models again.
        engine.cacheDirectory = (try? DataDirectory(settings)).map { $0.path + "/compiled" }
    }
}
