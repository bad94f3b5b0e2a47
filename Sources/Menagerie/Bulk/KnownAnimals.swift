import Connections
import Foundation
import Logging
import Recognition
import Storage
import Training

/// Runs a recogniser with the names of animals in the history, if there is a history.
enum KnownAnimals {
    /// Finds the animals in a photo. It waits while others keep the recogniser busy.
    typealias Look = @Sendable (_ photo: [UInt8]) async throws -> SeenPhoto

    /// - Parameter names: whether to use names at all.
    /// - Throws: `HistoryError` if the history is unreadable, and errors of the body.
    static func with<Value>(
        _ recogniser: Recogniser, _ settings: Settings, names: Bool,
        _ body: (_ look: @escaping Look) async throws -> Value
    ) async throws -> Value {
        guard names, let history = try await history(settings) else {
            return try await body(look(PhotoWatcher(recogniser: recogniser)))
        }
        return try await closing(history.close) {
            let configuration = try TrainingService.Configuration(settings)
            let individuals = IndividualService(
                recogniser: recogniser, history: history, cache: configuration.cache, limits: configuration.limits,
                cores: configuration.cores)
            try await individuals.learn()
            return try await body(look(PhotoWatcher(recogniser: recogniser, individuals: individuals)))
        }
    }

    private static func look(_ watcher: PhotoWatcher) -> Look {
        { photo in
            try await Recogniser.patiently {
                try await watcher.animals(in: photo, namesPets: true, options: ClassificationOptions(priority: .bulk))
            }
        }
    }

    /// The history. Nil if there is none, so that no animal has a name.
    private static func history(_ settings: Settings) async throws -> HistoryStore? {
        var configuration = try HistoryConfiguration(settings)
        configuration.mustExist = true
        do {
            return try await HistoryStore.open(configuration, logger: Logger(label: "menagerie.history"))
        } catch HistoryError.noHistory {
            return nil
        }
    }
}
