import Base
package import Recognition

/// The result of a training, measured on photos that it was not fitted to.
package struct TrainingReport: Codable, Sendable {
    /// A class and the number of its photos.
    package struct Class: Codable, Sendable, Equatable {
        package let label: String
        package let photos: Int

        /// The classes of some photos, sorted by their names.
        static func counts(of labels: [String]) -> [Class] {
            Dictionary(labels.map { ($0, 1) }, uniquingKeysWith: +).sorted { $0.key < $1.key }
                .map { Class(label: $0.key, photos: $0.value) }
        }
    }

    package struct Measured: Codable, Sendable {
        package let label: String
        package let photos: Int
        package let precision: Double
        package let recall: Double
        package let f1: Double
    }

    /// A photo with a wrong answer, and the confidence of that answer.
    package struct Mistake: Codable, Sendable {
        package let file: String
        package let truth: String
        package let answer: String
        package let confidence: Double
    }

    /// A photo that was read.
    package struct Photo: Codable, Sendable {
        package let file: String
        package let label: String
        package let sha256: String
        /// Whether the photo was kept out of the fit. Nil in older reports.
        package let heldOut: Bool?
    }

    package let base: String
    package let baseSHA256: String
    package let options: TrainingOptions
    package let method: TrainingOptions.Method
    package let views: [PictureView]
    package let classes: [Class]
    package let trainingPhotos: Int
    package let heldOutPhotos: Int
    /// The number of groups of near-duplicate photos. Each group stays on one side of the split.
    package let nearDuplicates: Int
    /// Shares of the held-out photos. Nil if there are none.
    package let accuracy: Double?
    /// Half of the width of the accuracy's 95 % interval.
    package let accuracyInterval: Double?
    package let macroF1: Double?
    /// The mean over the classes of the area under the curve of one class against the rest.
    package let rocAUC: Double?
    package let calibrationError: Double?
    package let temperature: Double
    package let abstainBelow: Double
    package let measures: [Measured]
    package let confusions: [ConfusionMatrix.Confusion]
    /// Most confident first.
    package let errors: [Mistake]
    package let iterations: [TrainingIteration]
    package let warnings: [TrainingWarning]
    package let skipped: [SkippedFile]
    package let photos: [Photo]
    /// Rows are the true classes in order, columns are the answers.
    package let matrix: [[Int]]
}

extension TrainingReport {
    private static let maximumConfusions = 20
    private static let maximumErrors = 12

    init(
        samples: TrainingSamples, fitted: HeadFitter.Fitted, options: TrainingOptions, views: [PictureView],
        base: ModelReference, baseSHA256: String
    ) {
        var tally = HeadTally(labels: samples.labels)
        let truths = fitted.answers.map { samples.photos[$0.photo].index }
        for (answer, truth) in zip(fitted.answers, truths) { tally.add(answer.probabilities, truth: truth) }
        let (measures, matrix) = (tally.measures(), tally.confusion)
        // Prototypes are means of all photos. Each photo was left out only for its own measurement.
        let heldOut = fitted.method == .prototypes ? [] : Set(fitted.answers.map(\.photo))
        let mistakes = zip(fitted.answers, truths).filter { $0.first != $1 }
            .sorted { ($1.0.probabilities[$1.0.first], $0.0.photo) < ($0.0.probabilities[$0.0.first], $1.0.photo) }
        self.init(
            base: base.description, baseSHA256: baseSHA256, options: options, method: fitted.method, views: views,
            classes: zip(samples.labels, samples.counts).map { Class(label: $0, photos: $1) },
            trainingPhotos: fitted.trainingPhotos, heldOutPhotos: tally.photos,
            nearDuplicates: Dictionary(grouping: samples.groups) { $0 }.values.count { $0.count > 1 },
            accuracy: measures?.top1, accuracyInterval: measures?.top1Interval, macroF1: measures?.macroF1,
            rocAUC: measures?.rocAUC, calibrationError: measures?.calibrationError,
            temperature: fitted.head.temperature, abstainBelow: fitted.head.abstainBelow,
            measures: samples.labels.indices.filter { matrix.photos(of: $0) > 0 }.map {
                Measured(
                    label: samples.labels[$0], photos: matrix.photos(of: $0), precision: matrix.precision(of: $0),
                    recall: matrix.recall(of: $0), f1: matrix.f1(of: $0))
            },
            confusions: matrix.confusions(Self.maximumConfusions),
            errors: mistakes.prefix(Self.maximumErrors).map { answer, truth in
                Mistake(
                    file: samples.photos[answer.photo].photo.path, truth: samples.labels[truth],
                    answer: samples.labels[answer.first], confidence: Double(answer.probabilities[answer.first]))
            },
            iterations: fitted.iterations, warnings: fitted.warnings, skipped: samples.skipped,
            photos: samples.photos.enumerated().map { index, photo in
                Photo(
                    file: photo.photo.path, label: photo.photo.label, sha256: photo.seen.digest.hexadecimal,
                    heldOut: heldOut.contains(index))
            },
            matrix: matrix.rows)
    }

    package var confusionMatrix: ConfusionMatrix { ConfusionMatrix(labels: classes.map(\.label), rows: matrix) }

    package var confusionSVG: String {
        let title = "\(options.name): \(heldOutPhotos) photos that it was not fitted to"
        return ConfusionPlot(matrix: confusionMatrix, title: title).svg
    }

    package var curveSVG: String {
        LinePlot(
            title: "Learning curve of \(options.name)", xLabel: "iteration", yLabel: "accuracy",
            series: [
                LinePlot.Series(name: "training", values: iterations.map(\.trainingAccuracy)),
                LinePlot.Series(name: "validation", values: iterations.compactMap(\.validationAccuracy)),
            ].filter { !$0.values.isEmpty }
        ).svg
    }
}

/// The state of a fit after an iteration.
package struct TrainingIteration: Codable, Sendable, Equatable {
    /// The number of the iteration, from 1.
    package let iteration: Int
    /// The minimised loss of the training photos.
    package let loss: Double
    /// The accuracy on the training photos, 0…1.
    package let trainingAccuracy: Double
    /// The accuracy on the held-out photos, 0…1. Nil if there are none.
    package let validationAccuracy: Double?
}
