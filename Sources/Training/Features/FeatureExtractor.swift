import Base
import Imaging
import Learning
import Recognition

/// Computes the base model's features for every photo of a source.
struct FeatureExtractor: Sendable {
    /// The features and hashes of one photo.
    struct Seen: Sendable {
        let digest: ContentDigest
        let hash: PerceptualHash
        /// One row for each view.
        let features: [[Float]]
    }

    let recogniser: Recogniser
    let model: LoadedModel
    let views: [PictureView]
    let cache: FeatureCache?
    /// The number of photos in work at once.
    let workers: Int

    /// A key of everything that determines the features of a photo.
    private var modelKey: String {
        let input = model.manifest.input
        return "\(model.manifest.sha256) \(model.manifest.weightsSHA256 ?? "") \(input.size) \(input.scale) "
            + "\(input.channelMean ?? []) \(input.channelDeviation ?? []) \(input.channels.rawValue) "
            + "\(input.crop?.rawValue ?? "") \(input.shortSide ?? 0)"
    }

    /// The features in the order of the photos, or the reasons to leave photos out.
    ///
    /// - Parameter progress: receives the number of photos done.
    func run(
        _ source: PhotoSource, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> [Result<Seen, SkipReason>] {
        let key = modelKey
        let results = try await source.read(atOnce: workers, progress: progress) {
            try await look(at: $0, key)
        }
        await cache?.trim()
        return results
    }

    private func look(at bytes: [UInt8], _ key: String) async throws -> Seen {
        let digest = ContentDigest(of: bytes)
        let names = views.map(\.rawValue)
        if let known = await cache?.entries(of: digest, model: key, views: names), let first = known.first {
            return Seen(digest: digest, hash: first.hash, features: known.map(\.features))
        }
        let seen = try await recogniser.features(of: bytes, by: model, views: views)
        let picture = seen.picture
        let hash = PerceptualHash(width: picture.width, height: picture.height, rgb: picture.bytes)
        await cache?.store(
            seen.features.map { FeatureCache.Entry(hash: hash, features: $0) }, of: digest, model: key, views: names)
        return Seen(digest: digest, hash: hash, features: seen.features)
    }
}
