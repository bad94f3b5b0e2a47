import Base
import Foundation
import Learning
package import Recognition

/// Makes a classifier from photos: computes features, splits the photos, fits a head, and measures it.
package struct Trainer: Sendable {
    package enum Progress: Sendable {
        /// The number of photos in each class, and the files left out so far.
        case listed(classes: [TrainingReport.Class], skipped: [SkippedFile])
        case looked(done: Int, total: Int)
        /// The classes and the skipped files after all photos were read.
        case fitting(classes: [TrainingReport.Class], skipped: [SkippedFile])
        case iteration(TrainingIteration)
    }

    package struct Outcome: Sendable {
        package let head: TrainedHead
        /// The model whose features were used, with its version.
        package let base: ModelReference
        package let report: TrainingReport
        /// JPEGs of the report's errors by their indices there. A picture that cannot be made is left out.
        package let errorPictures: [Int: [UInt8]]
    }

    /// The workers for each core. Some photos wait for the lanes while others are read and stored.
    private static let workersPerCore = 3

    package let recogniser: Recogniser
    package let cache: FeatureCache?
    package let cores: Int

    package init(recogniser: Recogniser, cache: FeatureCache?, cores: Int) {
        self.recogniser = recogniser
        self.cache = cache
        self.cores = max(1, cores)
    }

    /// - Throws: ``TrainingError``, `RecognitionError`, `CancellationError`, or errors of the source.
    package func train(
        _ source: PhotoSource, _ options: TrainingOptions,
        progress: @escaping @Sendable (Progress) -> Void = { _ in }
    ) async throws -> Outcome {
        let catalogue = source.catalogue
        let limits = catalogue.limits
        progress(
            .listed(classes: TrainingReport.Class.counts(of: catalogue.photos.map(\.label)), skipped: catalogue.skipped)
        )
        try catalogue.check()
        let reference = try ModelReference(options.base ?? recogniser.defaultModel)
        let views = options.views(photos: catalogue.photos.count)
        let (samples, base, checksum) = try await recogniser.models.withFeatures(of: reference) { model in
            let bytes = catalogue.photos.count * views.count * model.featureCount * 4
            guard bytes <= limits.featureBytes else { throw TrainingError.tooManyFeatures(limit: limits.featureBytes) }
            let extractor = FeatureExtractor(
                recogniser: recogniser, model: model, views: views, cache: cache,
                workers: Self.workersPerCore * cores)
            let total = catalogue.photos.count
            let results = try await extractor.run(source) {
                progress(.looked(done: $0, total: total))
            }
            let samples = try await BackgroundThread.run {
                TrainingSamples(catalogue.photos, results, skipped: catalogue.skipped)
            }
            return (samples, model.manifest.reference, model.manifest.sha256)
        }
        progress(
            .fitting(
                classes: TrainingReport.Class.counts(of: samples.photos.map(\.photo.label)), skipped: samples.skipped))
        try samples.check(limits)
        let fitted = try await fit(samples, options, progress)
        let report = try await BackgroundThread.run {
            TrainingReport(
                samples: samples, fitted: fitted, options: options, views: views, base: base, baseSHA256: checksum)
        }
        var pictures: [Int: [UInt8]] = [:]
        for (index, error) in report.errors.enumerated() {
            guard let photo = samples.photos.first(where: { $0.photo.path == error.file })?.photo,
                let bytes = try? await source.bytes(photo),
                let picture = try? await recogniser.thumbnail(of: bytes)
            else { continue }
            pictures[index] = picture
        }
        return Outcome(head: fitted.head, base: base, report: report, errorPictures: pictures)
    }

    private func fit(
        _ samples: TrainingSamples, _ options: TrainingOptions, _ progress: @escaping @Sendable (Progress) -> Void
    ) async throws -> HeadFitter.Fitted {
        let isCancelled = Locked(false)
        let fitter = HeadFitter(
            options: options, threads: { recogniser.isBusy ? 1 : cores },
            isCancelled: { isCancelled.withLock { $0 } }, observe: { progress(.iteration($0)) })
        return try await withTaskCancellationHandler {
            try await BackgroundThread.run { try fitter.fit(samples) }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }
}
