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
    package var validation = 0.2
    /// The most iterations, 1…1000.
    package var iterations = 50
    /// The views of each photo beside the plain one. Nil chooses mirror and crop for few photos, and none for many.
    package var augment: [PictureView]?
    package var seed: UInt64 = 1
    /// Whether the result answers requests as soon as it is ready.
    package var deploy = false
    package var method = Method.automatic
    /// λ, the strength of the regularisation.
    package var regularisation = 10.0
    /// Whether each class has the same weight, however many photos it has.
    package var balance = true

    package static let validationRange = 0.0...0.5
    package static let iterationsRange = 1...1_000
    package static let regularisationRange = 1e-6...1e6

    package init(name: String) { self.name = name }

    /// With fewer photos, further views are the default.
    private static let fewPhotos = 500

    /// The views to use for a number of photos, the plain one first.
    func views(photos: Int) -> [PictureView] {
        let others = augment ?? (photos < Self.fewPhotos ? [.mirror, .crop] : [])
        return [.plain] + PictureView.allCases.filter { $0 != .plain && others.contains($0) }
    }
}

package struct TrainingLimits: Sendable, Equatable {
    package var photos = 20_000
    package var classes = 500
    /// The largest photo, in bytes.
    package var photoBytes = 32 << 20
    /// The most bytes of all photos of a training, unpacked.
    package var totalBytes = 8 << 30
    /// The most bytes of features of a training, in memory.
    package var featureBytes = 1 << 30

    package init() {}
}
