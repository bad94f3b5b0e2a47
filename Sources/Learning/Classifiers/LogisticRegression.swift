/// Multinomial logistic regression with L2 regularisation, fitted by L-BFGS.
package struct LogisticRegression: Sendable {
    /// λ, the weight of `‖W‖² / 2` beside the sum of the rows' losses; scikit-learn's 1/C.
    package var regularisation: Double
    package var maximumIterations: Int
    /// Ends when no entry of the mean loss's gradient is larger.
    package var tolerance: Double
    /// Whether each class counts the same, however many rows it has.
    package var balancesClasses: Bool
    /// How features are scaled first; nil: by what the training rows suggest.
    package var scaling: FeatureScaling?
    /// How many threads may work; asked again and again. It does not change the result.
    package var threads: @Sendable () -> Int

    package init(
        regularisation: Double = 1, maximumIterations: Int = 50, tolerance: Double = 1e-4, balancesClasses: Bool = true,
        scaling: FeatureScaling? = nil, threads: @escaping @Sendable () -> Int = { 1 }
    ) {
        self.regularisation = regularisation
        self.maximumIterations = maximumIterations
        self.tolerance = tolerance
        self.balancesClasses = balancesClasses
        self.scaling = scaling
        self.threads = threads
    }

    /// Rows with the class of each, 0 ..< the number of classes.
    package struct Samples: Sendable {
        package let features: FeatureMatrix
        package let classes: [Int]

        package init(features: FeatureMatrix, classes: [Int]) {
            precondition(features.rows == classes.count, "each row has a class")
            self.features = features
            self.classes = classes
        }
    }

    /// Where the fit stands after an iteration.
    package struct Step: Sendable {
        package let iteration: Int
        /// Of the training rows, regularisation included, as it is minimised.
        package let loss: Double
        /// The classifier as it is after this iteration.
        package let classifier: LinearClassifier
    }

    /// A classifier and how the search for it ended.
    package struct Fit: Sendable {
        package let classifier: LinearClassifier
        package let iterations: Int
        package let loss: Double
        package let end: LBFGS.End
    }

    /// Fits to the end, with nobody watching the steps.
    package func fit(_ samples: Samples, classCount: Int) -> Fit {
        fit(samples, classCount: classCount) { _ in true }
    }

    /// - Parameters:
    ///   - classCount: at least 2.
    ///   - observe: is shown each iteration; it ends the fit by returning false.
    package func fit(
        _ samples: Samples, classCount: Int, observe: (Step) throws -> Bool
    ) rethrows -> Fit {
        let scaling = scaling ?? FeatureScaling(fitting: samples.features)
        let objective = SoftmaxObjective(
            features: samples.features, scaling: scaling, classes: samples.classes,
            weights: weights(of: samples.classes, classCount), classCount: classCount, regularisation: regularisation,
            threads: threads)
        // Differences of a great many parameters are kept for fewer iterations.
        let memory = max(3, min(10, (32 << 20) / max(1, objective.dimension)))
        let search = LBFGS(maximumIterations: maximumIterations, tolerance: tolerance, memory: memory)
        let start = [Double](repeating: 0, count: objective.dimension)
        let result = try search.minimise(objective, from: start) { step, point in
            try observe(
                Step(
                    iteration: step.iteration, loss: step.value,
                    classifier: objective.classifier(at: point)))
        }
        return Fit(
            classifier: objective.classifier(at: result.point), iterations: result.iterations, loss: result.value,
            end: result.end)
    }

    private func weights(of classes: [Int], _ classCount: Int) -> [Double] {
        guard balancesClasses else { return [Double](repeating: 1, count: classes.count) }
        var counts = [Double](repeating: 0, count: classCount)
        for index in classes { counts[index] += 1 }
        let present = Double(counts.count { $0 > 0 })
        return classes.map { Double(classes.count) / (present * counts[$0]) }
    }
}

extension SoftmaxObjective {
    /// The parameters as a classifier of features that are not scaled.
    func classifier(at point: [Double]) -> LinearClassifier {
        let columns = features.columns
        var weights = [Float](repeating: 0, count: classCount * columns)
        var bias = [Float](repeating: 0, count: classCount)
        for index in 0..<classCount {
            var shift = point[columns * stride + index]
            for column in 0..<columns {
                let weight = point[column * stride + index] * scaling.factor
                weights[index * columns + column] = Float(weight)
                shift -= weight * scaling.mean[column]
            }
            bias[index] = Float(shift)
        }
        return LinearClassifier(classes: classCount, features: columns, weights: weights, bias: bias)
    }
}
