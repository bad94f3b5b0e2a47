package import Recognition

/// What whoever asks for a training decides.
package struct TrainingOptions: Codable, Sendable, Equatable {
    /// How a classifier is made of features.
    package enum Method: String, Codable, Sendable, CaseIterable {
        /// By the number of photos: prototypes where a class has few, otherwise logistic regression.
        case automatic
        case logistic
        case prototypes
    }

    /// Of the model that comes of it, `[a-z0-9_-]+`.
    package var name: String
    /// The model whose features are used, `name` or `name@version`; nil: the default model.
    package var base: String?
    /// Share of each class that is held out, 0…0.5.
    package var validation: Double
    /// At most so many, 1…1000.
    package var iterations: Int
    /// Views of each photo beside the plain one; nil: mirror and crop for few photos, none for many.
    package var augment: [PictureView]?
    package var seed: UInt64
    /// Whether the result answers at once when it is done.
    package var deploy: Bool
    package var method: Method
    /// λ of the regularisation.
    package var regularisation: Double
    /// Whether each class counts the same, however many photos it has.
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

    /// Fewer photos are looked at several times where the request does not say.
    private static let fewPhotos = 500

    /// The views of so many photos, the plain one first.
    func views(photos: Int) -> [PictureView] {
        let others = augment ?? (photos < Self.fewPhotos ? [.mirror, .crop] : [])
        return [.plain] + PictureView.allCases.filter { $0 != .plain && others.contains($0) }
    }
}

/// Bounds on what is taken in.
package struct TrainingLimits: Sendable, Equatable {
    /// Photos of one training.
    package var photos: Int
    package var classes: Int
    /// Bytes of one photo.
    package var photoBytes: Int
    /// Bytes of all photos of a training, unpacked.
    package var totalBytes: Int
    /// Bytes of the features of a training, in memory.
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
