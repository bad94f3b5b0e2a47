import Glibc

/// The regularised cross-entropy of a linear softmax classifier, with its gradient:
///
///     (Σᵢ wᵢ · −log softmax(W·xᵢ + b)[yᵢ] + λ/2 · ‖W‖²) / Σᵢ wᵢ
///
/// where xᵢ are the scaled features. The biases are not regularised. The parameters of one feature are adjacent, one
/// for each class, padded with zeros to a multiple of four. The padding stays zero. The biases come last.
///
/// The bits of the result do not depend on the number of threads.
struct SoftmaxObjective {
    let features: FeatureMatrix
    let scaling: FeatureScaling
    let classes: [Int]
    let weights: [Double]
    let classCount: Int
    /// λ.
    let regularisation: Double
    /// The number of threads, queried before each piece of work.
    let threads: @Sendable () -> Int

    /// The number of classes, rounded up to a multiple of four.
    var stride: Int { (classCount + 3) & ~3 }
    /// The number of parameters.
    var dimension: Int { (features.columns + 1) * stride }

    /// The value at a point. Writes the gradient to `gradient`.
    func evaluate(_ point: [Double], gradient: inout [Double]) -> Double {
        let (rows, columns, stride) = (features.rows, features.columns, stride)
        let total = max(weights.reduce(0, +), .leastNormalMagnitude)
        let threads = max(1, threads())
        let kernels = SoftmaxKernels(features: features, scaling: scaling, stride: stride)
        // This holds the logits first, and then the derivatives of each row's loss by its logits.
        var errors = [Double](repeating: 0, count: rows * stride)
        var losses = [Double](repeating: 0, count: rows)
        errors.withUnsafeMutableBufferPointer { errors in
            losses.withUnsafeMutableBufferPointer { losses in
                // Each thread writes to its own rows.
                nonisolated(unsafe) let (errors, losses) = (errors, losses)
                ParallelRanges.run(count: rows, grain: SoftmaxKernels.rowTile, threads: threads) { range in
                    kernels.writeLogits(of: range, point, to: errors)
                    for row in range { losses[row] = replaceByError(row, in: errors) }
                }
            }
        }
        var squares = 0.0
        gradient.withUnsafeMutableBufferPointer { gradient in
            gradient.update(repeating: 0)
            // Each thread writes to its own features.
            nonisolated(unsafe) let shared = gradient
            ParallelRanges.run(count: columns, grain: SoftmaxKernels.columnTile, threads: threads) { range in
                kernels.addGradient(of: range, errors, to: shared)
            }
            for row in 0..<rows {
                for index in 0..<classCount { gradient[columns * stride + index] += errors[row * stride + index] }
            }
            for index in 0..<columns * stride {
                squares += point[index] * point[index]
                gradient[index] += regularisation * point[index]
            }
            for index in 0..<dimension { gradient[index] /= total }
        }
        return (losses.reduce(0, +) + regularisation / 2 * squares) / total
    }

    /// Replaces the logits of a row by the derivatives with respect to them.
    ///
    /// - Returns: the row's weighted loss.
    private func replaceByError(_ row: Int, in errors: UnsafeMutableBufferPointer<Double>) -> Double {
        let (start, truth, weight) = (row * stride, classes[row], weights[row])
        var largest = -Double.infinity
        for index in start..<start + classCount { largest = max(largest, errors[index]) }
        let loss = largest - errors[start + truth]
        var sum = 0.0
        for index in start..<start + classCount {
            errors[index] = exp(errors[index] - largest)
            sum += errors[index]
        }
        for index in start..<start + classCount { errors[index] *= weight / sum }
        errors[start + truth] -= weight
        return weight * (loss + log(sum))
    }
}
