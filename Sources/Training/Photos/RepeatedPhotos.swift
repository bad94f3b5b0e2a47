import Base

/// Finds photos that occur more than once.
enum RepeatedPhotos {
    /// The reason to leave out each photo, or nil to keep it. A photo in two classes is left out of both. Of repeated
    /// photos in one class, the first is kept.
    static func reasons(_ photos: [(photo: TrainingPhoto, digest: ContentDigest)]) -> [SkipReason?] {
        var labels: [ContentDigest: Set<String>] = [:]
        for item in photos { labels[item.digest, default: []].insert(item.photo.label) }
        var firsts: [ContentDigest: String] = [:]
        return photos.map { photo, digest in
            let others = (labels[digest] ?? []).subtracting([photo.label])
            guard others.isEmpty else {
                return .also(in: others.sorted())
            }
            if let first = firsts[digest] { return .repeated(first) }
            firsts[digest] = photo.path
            return nil
        }
    }
}
