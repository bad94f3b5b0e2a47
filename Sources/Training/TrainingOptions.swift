package import Recognition

package struct TrainingOptions: Codable, Sendable, Equatable {
    /// The method for making a classifier from features.
    package enum Method: String, Codable, Sendable, CaseIterable {
        /// Prototypes if a class has few photos, otherwise logistic regression.
        case automatic
        case logistic
        case prototypes
    }

    /// The name of the new model, `[a-z0-9_-]+`.
    package var name: String
    /// The model whose features are used, `name` or `name@version`. Nil takes the default model.
    package var base: String?
    /// The share of each class that is held out, 0…0.5.
    package var validation: Double
    /// The most iterations, 1…1000.
    package var iterations: Int
    /// The views of each photo beside the plain one. Nil chooses mirror and crop for few photos, and none for many.
    package var augment: [PictureView]?
    package var seed: UInt64
    /// Whether the result answers requests as soon as it is ready.
    package var deploy: Bool
    package var method: Method
    /// λ, the strength of the regularisation.
    package var regularisation: Double
    /// Whether each class has the same weight, however many photos it has.
    package var balance: Bool

    package static let validationRange = 0.0...0.5
    package static let iterationsRange = 1...1_000
    package static let regularisationRange = 1e-6...1e6

    package init(
        name: String, base: String? = nil, validation: Double = 0.2, iterations: Int = 50,
        augment: [PictureView]? = nil, seed: UInt64 = 1, deploy: Bool = false, method: Method = .automatic,
        regularisation: Double = 10, balance: Bool = true
    ) {
        self.name = name
        self.base = base
        self.validation = validation
        self.iterations = iterations
        self.augment = augment
        self.seed = seed
        self.deploy = deploy
        self.method = method
        self.regularisation = regularisation
        self.balance = balance
    }

    /// With fewer photos, further views are the default.
    private static let fewPhotos = 500

    /// The views to use for a number of photos, the plain one first.
    func views(photos: Int) -> [PictureView] {
        let others = augment ?? (photos < Self.fewPhotos ? [.mirror, .crop] : [])
        return [.plain] + PictureView.allCases.filter { $0 != .plain && others.contains($0) }
    }
}

package struct TrainingLimits: Sendable, Equatable {
    package var photos: Int
    package var classes: Int
    /// The largest photo, in bytes.
    package var photoBytes: Int
    /// The most bytes of all photos of a training, unpacked.
    package var totalBytes: Int
    /// The most bytes of features of a training, in memory.
    package var featureBytes: Int

    package init(
        photos: Int = 20_000, classes: Int = 500, photoBytes: Int = 32 << 20, totalBytes: Int = 8 << 30,
        featureBytes: Int = 1 << 30
    ) {
        self.photos = photos
        self.classes = classes
        self.photoBytes = photoBytes
        self.totalBytes = totalBytes
        self.featureBytes = featureBytes
    }
}
