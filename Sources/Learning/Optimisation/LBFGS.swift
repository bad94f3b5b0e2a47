/// Limited-memory BFGS (Nocedal and Wright, Numerical Optimization, 2nd edition, algorithms 7.4 and 7.5) for smooth
/// convex functions, in double precision. The same function and start always give the same bits.
struct LBFGS {
    let maximumIterations: Int
    /// The search ends when every entry of the gradient is at most this.
    let tolerance: Double
    /// The number of remembered difference pairs, which approximate the second derivatives.
    let memory: Int

    private struct Pair {
        let step: [Double]
        let change: [Double]
        let curvature: Double
    }

    /// - Parameters:
    ///   - start: the first point.
    ///   - observe: receives the number of each iteration, from 1, with its value and point, and may return false to
    ///     end the search.
    /// - Returns: the last point. The search also ends when no step reduces the value within the precision of rounding.
    func minimise(
        _ function: SoftmaxObjective, from start: [Double],
        observe: (_ iteration: Int, _ value: Double, _ point: [Double]) throws -> Bool
    ) rethrows -> [Double] {
        var point = start
        var gradient = [Double](repeating: 0, count: function.dimension)
        var value = function.evaluate(point, gradient: &gradient)
        var pairs: [Pair] = []
        guard Vector.largest(gradient) > tolerance else { return point }
        for iteration in 1...max(1, maximumIterations) {
            var direction = self.direction(gradient, pairs)
            var slope = Vector.dot(direction, gradient)
            if slope >= 0 {
                // Rounding spoilt the differences, so the search starts again with the steepest descent.
                pairs = []
                direction = gradient.map { -$0 }
                slope = -Vector.dot(gradient, gradient)
            }
            let first = pairs.isEmpty ? min(1, 1 / Vector.sum(gradient)) : 1
            var search = LineSearch(function, from: point, value: value, direction: direction, slope: slope)
            guard let found = search.run(first: first) else { return point }
            let step = Vector.difference(found.point, point)
            let change = Vector.difference(found.gradient, gradient)
            let curvature = Vector.dot(step, change)
            if curvature > 1e-16 * Vector.dot(change, change) {
                pairs.append(Pair(step: step, change: change, curvature: curvature))
                if pairs.count > memory { pairs.removeFirst() }
            }
            (point, value, gradient) = (found.point, found.value, found.gradient)
            guard try observe(iteration, value, point), Vector.largest(gradient) > tolerance else { break }
        }
        return point
    }

    /// The two-loop recursion: minus the inverse of the approximate Hessian, times the gradient.
    private func direction(_ gradient: [Double], _ pairs: [Pair]) -> [Double] {
        var direction = gradient.map { -$0 }
        var factors: [Double] = []
        for pair in pairs.reversed() {
            let factor = Vector.dot(pair.step, direction) / pair.curvature
            factors.append(factor)
            Vector.add(pair.change, times: -factor, to: &direction)
        }
        if let last = pairs.last {
            let scale = last.curvature / Vector.dot(last.change, last.change)
            for index in direction.indices { direction[index] *= scale }
        }
        for (pair, factor) in zip(pairs, factors.reversed()) {
            let correction = Vector.dot(pair.change, direction) / pair.curvature
            Vector.add(pair.step, times: factor - correction, to: &direction)
        }
        return direction
    }
}

/// Arithmetic on vectors of equal length.
enum Vector {
    static func dot(_ left: [Double], _ right: [Double]) -> Double {
        left.withUnsafeBufferPointer { left in
            right.withUnsafeBufferPointer { right in
                // Four sums let an addition start before the previous one ends.
                var sums = SIMD4<Double>.zero
                let whole = left.count & ~3
                for index in stride(from: 0, to: whole, by: 4) {
                    let first = SIMD4<Double>(left[index], left[index + 1], left[index + 2], left[index + 3])
                    let second = SIMD4<Double>(right[index], right[index + 1], right[index + 2], right[index + 3])
                    sums += first * second
                }
                var sum = sums.sum()
                for index in whole..<left.count { sum += left[index] * right[index] }
                return sum
            }
        }
    }

    /// The sum of the products in their order.
    static func product(_ left: some Sequence<Float>, _ right: some Sequence<Float>) -> Float {
        zip(left, right).reduce(0) { $0 + $1.0 * $1.1 }
    }

    /// Above 0, so that it can divide.
    static func length(_ vector: [Float]) -> Float { max(product(vector, vector), 1e-12).squareRoot() }

    static func add<Number: FloatingPoint>(_ other: [Number], times factor: Number, to vector: inout [Number]) {
        vector.withUnsafeMutableBufferPointer { vector in
            other.withUnsafeBufferPointer { other in
                for index in 0..<vector.count { vector[index] += factor * other[index] }
            }
        }
    }

    static func difference(_ left: [Double], _ right: [Double]) -> [Double] { zip(left, right).map { $0 - $1 } }

    static func largest(_ vector: [Double]) -> Double { vector.reduce(0) { max($0, abs($1)) } }

    static func sum(_ vector: [Double]) -> Double { vector.reduce(0) { $0 + abs($1) } }
}
