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

    enum Outcome: Sendable {
        case seen(Seen)
        case skipped(SkipReason)
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

    /// The outcomes in the order of the photos.
    ///
    /// - Parameter progress: receives the number of photos done.
    func run(
        _ photos: [TrainingPhoto], of source: any PhotoSource, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> [Outcome] {
        let key = modelKey
        return try await photos.concurrentMap(atOnce: workers, progress: progress) {
            try await look(at: $0, of: source, key)
        }
    }

    private func look(at photo: TrainingPhoto, of source: any PhotoSource, _ key: String) async throws -> Outcome {
        let bytes: [UInt8]
        do {
            bytes = try await source.bytes(of: photo)
        } catch let error as UnreadablePhoto {
            return .skipped(error.reason)
        }
        let digest = ContentDigest(of: bytes)
        let names = views.map(\.rawValue)
        if let known = await cache?.entries(of: digest, model: key, views: names), let first = known.first {
            return .seen(Seen(digest: digest, hash: first.hash, features: known.map(\.features)))
        }
        let seen: Recogniser.ViewedPhoto
        do {
            seen = try await recogniser.features(of: bytes, by: model, views: views)
        } catch let error as ImagingError {
            return .skipped(.undecodable(error))
        }
        let picture = seen.picture
        let hash = PerceptualHash(width: picture.width, height: picture.height, rgb: picture.bytes)
        await cache?.store(
            seen.features.map { FeatureCache.Entry(hash: hash, features: $0) }, of: digest, model: key, views: names)
        return .seen(Seen(digest: digest, hash: hash, features: seen.features))
    }
}
