/// The kinds of models, with their field numbers in `Model` of `Model.proto`.
enum CoreMLModelKind: Int, Sendable {
    case pipelineClassifier = 200
    case pipelineRegressor = 201
    case pipeline = 202
    case glmRegressor = 300
    case supportVectorRegressor = 301
    case treeEnsembleRegressor = 302
    case neuralNetworkRegressor = 303
    case bayesianProbitRegressor = 304
    case glmClassifier = 400
    case supportVectorClassifier = 401
    case treeEnsembleClassifier = 402
    case neuralNetworkClassifier = 403
    case kNearestNeighborsClassifier = 404
    case neuralNetwork = 500
    case itemSimilarityRecommender = 501
    case mlProgram = 502
    case customModel = 555
    case linkedModel = 556
    case classConfidenceThresholding = 560
    case oneHotEncoder = 600
    case imputer = 601
    case featureVectorizer = 602
    case dictVectorizer = 603
    case scaler = 604
    case categoricalMapping = 606
    case normalizer = 607
    case arrayFeatureExtractor = 609
    case nonMaximumSuppression = 610
    case identity = 900
    case textClassifier = 2000
    case wordTagger = 2001
    case visionFeaturePrint = 2002
    case soundAnalysisPreprocessing = 2003
    case gazetteer = 2004
    case wordEmbedding = 2005
    case audioFeaturePrint = 2006
    case serializedModel = 3000

    /// The name in the specification.
    var name: String { String(describing: self) }
}
