import Foundation
import Testing

@testable import Learning

/// Compares with scikit-learn's results on the same features, made by `Fixtures/make.py`.
@Suite struct LogisticRegressionTests {
    private struct Fixture: Decodable {
        struct Case: Decodable {
            let name: String
            let regularisation: Double
            let balanced: Bool
            let weights: [[Double]]
            let bias: [Double]
            let probabilities: [[Double]]
        }

        let features: [[Float]]
        let classes: [Int]
        let cases: [Case]

        static func read() throws -> Fixture {
            let url = try #require(
                Bundle.module.url(forResource: "logistic", withExtension: "json", subdirectory: "Fixtures"))
            return try JSONDecoder().decode(Fixture.self, from: Data(contentsOf: url))
        }
    }

    private static func regression(_ expected: Fixture.Case, threads: Int = 1) -> LogisticRegression {
        var regression = LogisticRegression(
            regularisation: expected.regularisation, maximumIterations: 2_000, balancesClasses: expected.balanced,
            threads: { threads })
        regression.tolerance = 1e-11
        regression.scaling = FeatureScaling(mean: [Double](repeating: 0, count: 21), factor: 1)
        return regression
    }

    @Test func answersAreThoseOfScikitLearn() throws {
        let fixture = try Fixture.read()
        let features = FeatureMatrix(fixture.features)
        let samples = LogisticRegression.Samples(features: features, classes: fixture.classes)
        for expected in fixture.cases {
            var iterations = 0
            let classifier = Self.regression(expected).fit(samples, classCount: 5) { step in
                iterations = step.iteration
                return true
            }
            // It ends as it has converged, not as the iterations are used up.
            #expect(iterations < 2_000, "\(expected.name)")
            for index in 0..<5 {
                for column in 0..<21 {
                    let weight = Double(classifier.weights[index * 21 + column])
                    #expect(abs(weight - expected.weights[index][column]) < 1e-4, "\(expected.name)")
                }
                #expect(abs(Double(classifier.bias[index]) - expected.bias[index]) < 1e-4, "\(expected.name)")
            }
            for (place, row) in stride(from: 0, to: features.rows, by: 7).enumerated() {
                let probabilities = LinearClassifier.probabilities(classifier.logits(of: features[row]))
                for (ours, theirs) in zip(probabilities, expected.probabilities[place]) {
                    #expect(abs(ours - theirs) < 1e-4, "\(expected.name), row \(row)")
                }
            }
        }
    }

    @Test func theBitsDoNotDependOnTheThreads() throws {
        let fixture = try Fixture.read()
        // There are more features than a tile holds, so threads share the gradient.
        let wide = fixture.features.map { row in (0..<40).flatMap { turn in row.map { $0 * Float(1 + turn % 3) } } }
        let samples = LogisticRegression.Samples(features: FeatureMatrix(wide), classes: fixture.classes)
        var losses: [[Double]] = []
        var classifiers: [LinearClassifier] = []
        for threads in [1, 2, 3, 7] {
            var regression = LogisticRegression(maximumIterations: 20, threads: { threads })
            regression.tolerance = 0
            losses.append([])
            classifiers.append(
                regression.fit(samples, classCount: 5) { step in
                    losses[losses.count - 1].append(step.loss)
                    return true
                })
        }
        #expect(classifiers.allSatisfy { $0 == classifiers[0] } && losses.allSatisfy { $0 == losses[0] })
        #expect(losses[0].count == 20)
    }

    @Test func scalingChangesNothingOfWhatTheClassifierIsGiven() throws {
        let fixture = try Fixture.read()
        let features = FeatureMatrix(fixture.features)
        let samples = LogisticRegression.Samples(features: features, classes: fixture.classes)
        let classifier = LogisticRegression(maximumIterations: 200).fit(samples, classCount: 5) { _ in true }
        let right = (0..<features.rows).count {
            LinearClassifier.answer(classifier.logits(of: features[$0])) == fixture.classes[$0]
        }
        #expect(Double(right) / Double(features.rows) > 0.97)
    }

    @Test func theLossFallsAndTheCallerMayStop() throws {
        let fixture = try Fixture.read()
        let samples = LogisticRegression.Samples(
            features: FeatureMatrix(fixture.features), classes: fixture.classes)
        var losses: [Double] = []
        _ = LogisticRegression(maximumIterations: 100).fit(samples, classCount: 5) { step in
            losses.append(step.loss)
            return step.iteration < 6
        }
        #expect(losses.count == 6)
        #expect(zip(losses, losses.dropFirst()).allSatisfy { $0 >= $1 }, "\(losses)")
    }

    /// Compares the gradient with differences of the loss.
    @Test func theGradientIsThatOfTheLoss() {
        var random = SplitMix64(seed: 4)
        let rows = (0..<13).map { _ in (0..<9).map { _ in Float(random.below(2_001)) / 1_000 - 1 } }
        let features = FeatureMatrix(rows)
        let objective = SoftmaxObjective(
            features: features, scaling: FeatureScaling(fitting: features), classes: (0..<13).map { $0 % 3 },
            weights: (0..<13).map { 1 + Double($0 % 4) }, classCount: 3, regularisation: 0.7, threads: { 1 })
        var point = (0..<objective.dimension).map { _ in Double(random.below(2_001)) / 1_000 - 1 }
        for index in point.indices where index % 4 == 3 { point[index] = 0 }
        var gradient = [Double](repeating: 0, count: objective.dimension)
        _ = objective.evaluate(point, gradient: &gradient)
        var scratch = gradient
        for index in point.indices {
            guard index % 4 != 3 else {
                #expect(gradient[index] == 0)
                continue
            }
            var (above, below) = (point, point)
            above[index] += 1e-5
            below[index] -= 1e-5
            let difference =
                (objective.evaluate(above, gradient: &scratch) - objective.evaluate(below, gradient: &scratch)) / 2e-5
            #expect(abs(difference - gradient[index]) < 1e-7, "\(index)")
        }
    }
}
