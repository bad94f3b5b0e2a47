/// The kinds of models that are read, with their field numbers in `Model` of `Model.proto`.
enum CoreMLModelKind: Int, Sendable {
    case pipelineClassifier = 200
    case pipelineRegressor = 201
    case pipeline = 202
    case neuralNetworkRegressor = 303
    case neuralNetworkClassifier = 403
    case neuralNetwork = 500
    case nonMaximumSuppression = 610
    case identity = 900

    /// The other kinds of the specification, which errors name.
    private static let others = [
        300: "glmRegressor", 301: "supportVectorRegressor", 302: "treeEnsembleRegressor",
        304: "bayesianProbitRegressor", 400: "glmClassifier", 401: "supportVectorClassifier",
        402: "treeEnsembleClassifier", 404: "kNearestNeighborsClassifier", 501: "itemSimilarityRecommender",
        502: "mlProgram", 555: "customModel", 556: "linkedModel", 560: "classConfidenceThresholding",
        600: "oneHotEncoder", 601: "imputer", 602: "featureVectorizer", 603: "dictVectorizer", 604: "scaler",
        606: "categoricalMapping", 607: "normalizer", 609: "arrayFeatureExtractor", 2000: "textClassifier",
        2001: "wordTagger", 2002: "visionFeaturePrint", 2003: "soundAnalysisPreprocessing", 2004: "gazetteer",
        2005: "wordEmbedding", 2006: "audioFeaturePrint", 3000: "serializedModel",
    ]

    /// The name in the specification. Nil for a number that it does not have.
    static func name(of number: Int) -> String? {
        Self(rawValue: number).map { "\($0)" } ?? others[number]
    }
}
