package import Imaging

extension Recogniser {
    /// A network's features of a photo.
    package struct ViewedPhoto: Sendable {
        /// The picture in the network's size.
        package let picture: PixelBuffer
        /// One row for each view.
        package let features: [[Float]]
    }

    /// The features of some views of a photo, at background priority. It takes no permit: the caller limits the number
    /// of photos in work, and waits here while the queue is full.
    ///
    /// - Parameters:
    ///   - photo: the file as received.
    ///   - model: a model with an output `features`.
    /// - Throws: `ImagingError` if the photo is at fault, `RecognitionError`, or `CancellationError`.
    package func features(of photo: [UInt8], by model: LoadedModel, views: [PictureView]) async throws -> ViewedPhoto {
        guard let output = model.featuresOutput else {
            throw RecognitionError.noFeatures(model.manifest.name, reason: "it was loaded without them")
        }
        let input = model.manifest.input
        var whole: PixelBuffer?
        var features: [[Float]] = []
        for view in views {
            // Each view is a turn of its own, so that a user's request waits for one view at most.
            let (picture, row) = try await Self.patiently {
                try await model.line.run(priority: .background) { [limits = options.limits, whole] lane in
                    // Each region is decoded separately, so that its pixels do not depend on the others.
                    func decoded(_ region: PictureRegion) throws -> PixelBuffer {
                        let source = try ImageSource(photo, limits: limits)
                        return input.cut(try source.pixels(input.decodeRequest(crop: nil, region: region)))
                    }
                    let plain = try whole ?? decoded(.whole)
                    let seen = view.seen(view.region == .whole ? plain : try decoded(view.region))
                    return (plain, try lane.infer(seen.bytes, firstStage: true).output.values[output])
                }
            }
            whole = picture
            features.append(row)
        }
        guard let whole else { throw RecognitionError.noFeatures(model.manifest.name, reason: "no view is wanted") }
        return ViewedPhoto(picture: whole, features: features)
    }

    /// A model's answer for a photo, at background priority and, like ``features(of:by:views:)``, without a permit.
    ///
    /// - Parameters:
    ///   - head: the head to ask. Nil takes the one that fits.
    ///   - deadline: the time by which the model must begin with the photo. Nil waits as long as needed.
    /// - Throws: `ImagingError` if the photo is at fault, `RecognitionError`, or `CancellationError`.
    package func backgroundAnswer(
        to photo: [UInt8], by model: LoadedModel, head: String? = nil, deadline: ContinuousClock.Instant? = nil
    ) async throws -> Classification {
        let options = ClassificationOptions(priority: .background, deadline: deadline, head: head)
        return try await Self.patiently(until: deadline) {
            try await self.classify(photo, with: model, options: options)
        }
    }
}
