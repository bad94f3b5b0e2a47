import Base

/// Photos that come more than once.
enum RepeatedPhotos {
    /// Why each photo is left out; nil for those that stay: a photo that is in two classes belongs to neither, and of
    /// those that come twice in one class the first stays.
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
