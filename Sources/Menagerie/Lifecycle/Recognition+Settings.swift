import Base
import Foundation
import Imaging
import Recognition

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
