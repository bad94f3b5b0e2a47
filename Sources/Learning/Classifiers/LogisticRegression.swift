/// Multinomial logistic regression with L2 regularisation, fitted by L-BFGS.
package struct LogisticRegression: Sendable {
    /// λ, the weight of `‖W‖² / 2` beside the sum of the rows' losses. It is 1/C in scikit-learn.
    let regularisation: Double
    let maximumIterations: Int
    /// The fit ends when every entry of the mean loss's gradient is at most this.
    var tolerance = 1e-4
    /// Whether each class has the same weight, however many rows it has.
    let balancesClasses: Bool
    /// The scaling of features before the fit. Nil derives it from the training rows.
    var scaling: FeatureScaling?
    /// The number of threads to use, queried repeatedly. It does not change the result.
    let threads: @Sendable () -> Int

    package init(
        regularisation: Double = 1, maximumIterations: Int = 50, balancesClasses: Bool = true,
        threads: @escaping @Sendable () -> Int = { 1 }
    ) {
        self.regularisation = regularisation
        self.maximumIterations = maximumIterations
        self.balancesClasses = balancesClasses
        self.threads = threads
    }

    /// Rows and the class of each, 0 ..< the number of classes.
    package struct Samples: Sendable {
        package let features: FeatureMatrix
        package let classes: [Int]

        package init(features: FeatureMatrix, classes: [Int]) {
            precondition(features.rows == classes.count, "each row has a class")
            self.features = features
            self.classes = classes
        }
    }

    /// The state after an iteration.
    package struct Step: Sendable {
        package let iteration: Int
        /// The minimised loss of the training rows, including regularisation.
        package let loss: Double
        package let classifier: LinearClassifier
    }

    /// - Parameters:
    ///   - classCount: at least 2.
    ///   - observe: receives each iteration and may return false to end the fit.
    package func fit(
        _ samples: Samples, classCount: Int, observe: (Step) throws -> Bool
    ) rethrows -> LinearClassifier {
        let scaling = scaling ?? FeatureScaling(fitting: samples.features)
        let objective = SoftmaxObjective(
            features: samples.features, scaling: scaling, classes: samples.classes,
            weights: weights(of: samples.classes, classCount), classCount: classCount, regularisation: regularisation,
            threads: threads)
        // With very many parameters, fewer iterations are remembered to limit memory.
        let memory = max(3, min(10, (32 << 20) / max(1, objective.dimension)))
        let search = LBFGS(maximumIterations: maximumIterations, tolerance: tolerance, memory: memory)
        let start = [Double](repeating: 0, count: objective.dimension)
        let best = try search.minimise(objective, from: start) { iteration, loss, point in
            try observe(Step(iteration: iteration, loss: loss, classifier: objective.classifier(at: point)))
        }
        return objective.classifier(at: best)
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
    /// Converts the parameters to a classifier of unscaled features.
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
