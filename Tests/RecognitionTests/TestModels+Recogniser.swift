import Recognition
import TestSupport

extension TestModels {
    /// The service's own recogniser with the repository's models.
    static func recogniser(
        _ model: String = "menagerie", directory: String = directory, lanes: Int = 2, maximumInFlight: Int = 64,
        precision: ModelManifest.Precision = .automatic, observer: any RecognitionObserver = NoObserver()
    ) throws -> Recogniser {
        var options = RecogniserOptions(
            modelsDirectory: directory, defaultModel: model, maximumInFlight: maximumInFlight, cores: lanes)
        options.engine.precision = precision
        options.engine.cacheDirectory = CompiledModels.folder
        return try Recogniser(options: options, observer: observer)
    }
}
