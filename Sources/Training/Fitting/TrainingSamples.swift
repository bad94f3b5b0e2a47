import Base
import Learning

/// The remaining photos with their features, and how they are split.
struct TrainingSamples: Sendable {
    struct Photo: Sendable {
        let photo: TrainingPhoto
        let seen: FeatureExtractor.Seen
        /// The index in ``labels``.
        let index: Int
    }

    /// The class names, sorted.
    let labels: [String]
    let photos: [Photo]
    let skipped: [SkippedFile]
    /// For each photo the first of its near-duplicates.
    let groups: [Int]

    /// Leaves out unreadable photos, photos in two classes, and repeated photos.
    init(_ photos: [TrainingPhoto], _ results: [Result<FeatureExtractor.Seen, SkipReason>], skipped: [SkippedFile]) {
        var skipped = skipped
        let kept = photos.keeping(results, digest: \.digest, skipped: &skipped)
        let labels = Set(kept.map(\.photo.label)).sorted()
        let places = Dictionary(uniqueKeysWithValues: labels.enumerated().map { ($1, $0) })
        self.labels = labels
        self.photos = kept.map { Photo(photo: $0.photo, seen: $0.value, index: places[$0.photo.label] ?? 0) }
        self.skipped = skipped
        groups = NearDuplicates.groups(of: kept.map(\.value.hash))
    }

    /// Throws if the photos do not suffice for a classifier.
    func check(_ limits: TrainingLimits) throws(TrainingError) {
        try PhotoCatalogue.check(photos.map(\.photo.label), skipped: skipped, limits: limits)
    }

    var classes: [Int] { photos.map(\.index) }

    /// The number of photos in each class.
    var counts: [Int] {
        var counts = [Int](repeating: 0, count: labels.count)
        for photo in photos { counts[photo.index] += 1 }
        return counts
    }

    /// The rows of all views of some photos, with their classes.
    func rows(of chosen: [Int]) -> LogisticRegression.Samples {
        var matrix = FeatureMatrix(columns: photos.first?.seen.features.first?.count ?? 0)
        var classes: [Int] = []
        for photo in chosen {
            for row in photos[photo].seen.features {
                matrix.append(row)
                classes.append(photos[photo].index)
            }
        }
        return LogisticRegression.Samples(features: matrix, classes: classes)
    }

    /// The plain view of some photos.
    func plainRows(of chosen: [Int]) -> FeatureMatrix { FeatureMatrix(chosen.map { photos[$0].seen.features[0] }) }

    /// The mean of each photo's views.
    var means: FeatureMatrix {
        FeatureMatrix(
            photos.map { photo in
                let rows = photo.seen.features
                return rows[0].indices.map { column in
                    rows.reduce(Float(0)) { $0 + $1[column] } / Float(rows.count)
                }
            })
    }
}
