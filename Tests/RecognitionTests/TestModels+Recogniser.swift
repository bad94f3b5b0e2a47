import Recognition

extension TestModels {
    /// The service's own recogniser with the repository's models.
    static func recogniser(
        directory: String = directory, lanes: Int = 2, maximumInFlight: Int = 64,
        observer: any RecognitionObserver = NoObserver()
    ) throws -> Recogniser {
        var options = RecogniserOptions(modelsDirectory: directory, maximumInFlight: maximumInFlight, cores: 2)
        options.engine.lanes = lanes
        return try Recogniser(options: options, observer: observer)
    }
}
