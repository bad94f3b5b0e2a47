/// The types of layers that are translated, with their field numbers in `NeuralNetworkLayer` of `NeuralNetwork.proto`.
enum CoreMLLayerType: Int, Sendable {
    case convolution = 100
    case pooling = 120
    case activation = 130
    case innerProduct = 140
    case batchnorm = 160
    case mvn = 165
    case l2normalize = 170
    case softmax = 175
    case lrn = 180
    case crop = 190
    case padding = 200
    case upsample = 210
    case resizeBilinear = 211
    case unary = 220
    case add = 230
    case multiply = 231
    case average = 240
    case scale = 245
    case bias = 250
    case max = 260
    case min = 261
    case dot = 270
    case reduce = 280
    case loadConstant = 290
    case reshape = 300
    case flatten = 301
    case permute = 310
    case concat = 320
    case split = 330
    case sequenceRepeat = 340
    case reorganizeData = 345
    case slice = 350
    case copy = 600
    case clip = 660
    case ceil = 665
    case floor = 670
    case sign = 680
    case round = 685
    case exp2 = 700
    case sin = 710
    case cos = 715
    case tan = 720
    case asin = 730
    case acos = 735
    case atan = 740
    case sinh = 750
    case cosh = 755
    case tanh = 760
    case asinh = 770
    case acosh = 775
    case atanh = 780
    case erf = 790
    case gelu = 795
    case equal = 815
    case notEqual = 820
    case lessThan = 825
    case lessEqual = 827
    case greaterThan = 830
    case greaterEqual = 832
    case logicalOr = 840
    case logicalXor = 845
    case logicalNot = 850
    case logicalAnd = 855
    case modBroadcastable = 865
    case minBroadcastable = 870
    case maxBroadcastable = 875
    case addBroadcastable = 880
    case powBroadcastable = 885
    case divideBroadcastable = 890
    case floorDivBroadcastable = 895
    case multiplyBroadcastable = 900
    case subtractBroadcastable = 905
    case tile = 920
    case stack = 925
    case gather = 930
    case softmaxND = 950
    case reverse = 960
    case splitND = 975
    case concatND = 980
    case transpose = 985
    case sliceStatic = 995
    case topK = 1015
    case argMin = 1020
    case argMax = 1025
    case batchedMatmul = 1045
    case loadConstantND = 1070
    case fillLike = 1080
    case fillStatic = 1085
    case broadcastToLike = 1100
    case broadcastToStatic = 1105
    case squeeze = 1120
    case expandDims = 1125
    case flattenTo2D = 1130
    case reshapeLike = 1135
    case reshapeStatic = 1140
    case rankPreservingReshape = 1150
    case constantPad = 1155
    case reduceL1 = 1250
    case reduceL2 = 1255
    case reduceMax = 1260
    case reduceMin = 1265
    case reduceSum = 1270
    case reduceProd = 1275
    case reduceMean = 1280
    case reduceLogSum = 1285
    case reduceSumSquare = 1290
    case reduceLogSumExp = 1295
    case whereBroadcastable = 1330
    case layerNormalization = 1350
    case clampedReLU = 1460

    /// The other types of the specification, which errors name.
    private static let others = [
        150: "embedding", 212: "cropResize", 400: "simpleRecurrent", 410: "gru", 420: "uniDirectionalLSTM",
        430: "biDirectionalLSTM", 500: "custom", 605: "branch", 615: "loop", 620: "loopBreak", 625: "loopContinue",
        635: "rangeStatic", 640: "rangeDynamic", 935: "scatter", 940: "gatherND", 945: "scatterND",
        952: "gatherAlongAxis", 954: "scatterAlongAxis", 965: "reverseSeq", 1000: "sliceDynamic",
        1005: "slidingWindows", 1040: "embeddingND", 1065: "getShape", 1090: "fillDynamic", 1110: "broadcastToDynamic",
        1145: "reshapeDynamic", 1170: "randomNormalLike", 1175: "randomNormalStatic", 1180: "randomNormalDynamic",
        1190: "randomUniformLike", 1195: "randomUniformStatic", 1200: "randomUniformDynamic",
        1210: "randomBernoulliLike", 1215: "randomBernoulliStatic", 1220: "randomBernoulliDynamic",
        1230: "categoricalDistribution", 1313: "whereNonZero", 1315: "matrixBandPart", 1320: "lowerTriangular",
        1325: "upperTriangular", 1400: "nonMaximumSuppression", 1450: "oneHot", 1455: "cumSum", 1461: "argSort",
        1465: "pooling3d", 1466: "globalPooling3d", 1470: "sliceBySize", 1471: "convolution3d",
    ]

    /// The name in the specification. Nil for a number that it does not have.
    static func name(of number: Int) -> String? {
        Self(rawValue: number).map { "\($0)" } ?? others[number]
    }

    /// The name of the ONNX operation that does the same, if it is the same word.
    var onnxName: String {
        let name = "\(self)"
        return name.prefix(1).uppercased() + name.dropFirst()
    }
}
