/// Searches along a direction for a point with a smaller value and a flatter slope: the strong Wolfe conditions
/// (Nocedal and Wright, algorithms 3.5 and 3.6), with cubic interpolation.
struct LineSearch {
    struct Found {
        let point: [Double]
        let value: Double
        let gradient: [Double]
    }

    private struct Place {
        let distance: Double
        let value: Double
        let slope: Double
        let found: Found?
    }

    private static let maximumEvaluations = 30
    /// The least descent, as a share of what the slope promises.
    private static let decrease = 1e-4
    /// The largest remaining slope, as a share of the first slope.
    private static let curvature = 0.9

    private let function: SoftmaxObjective
    private let start: [Double]
    private let origin: Place
    private let direction: [Double]
    private var evaluations = 0

    /// - Parameter slope: the slope of the function along the direction, below 0.
    init(_ function: SoftmaxObjective, from start: [Double], value: Double, direction: [Double], slope: Double) {
        self.function = function
        self.start = start
        self.direction = direction
        origin = Place(distance: 0, value: value, slope: slope, found: nil)
    }

    /// - Parameter first: the distance to try first.
    /// - Returns: nil if no value is measurably smaller than the present one.
    mutating func run(first: Double) -> Found? {
        var previous = origin
        var distance = first
        while evaluations < Self.maximumEvaluations {
            let place = look(at: distance)
            if !descends(place) || (previous.distance > 0 && place.value >= previous.value) {
                return zoom(previous, place)
            }
            if abs(place.slope) <= -Self.curvature * origin.slope { return place.found }
            if place.slope >= 0 { return zoom(place, previous) }
            previous = place
            distance *= 2
        }
        return previous.found
    }

    /// Narrows an interval that contains good points. `low` is the better of its ends.
    private mutating func zoom(_ low: Place, _ high: Place) -> Found? {
        var (low, high) = (low, high)
        while evaluations < Self.maximumEvaluations {
            let place = look(at: Self.between(low, high))
            if !descends(place) || place.value >= low.value {
                high = place
            } else {
                if abs(place.slope) <= -Self.curvature * origin.slope { return place.found }
                if place.slope * (high.distance - low.distance) >= 0 { high = low }
                low = place
            }
            if abs(high.distance - low.distance) <= 1e-14 * max(1, abs(low.distance)) { break }
        }
        // The value is smaller than at the start, although the slope is steeper than wanted.
        return low.value < origin.value ? low.found : nil
    }

    private func descends(_ place: Place) -> Bool {
        place.value.isFinite && place.value <= origin.value + Self.decrease * place.distance * origin.slope
    }

    private mutating func look(at distance: Double) -> Place {
        evaluations += 1
        var point = start
        Vector.add(direction, times: distance, to: &point)
        var gradient = [Double](repeating: 0, count: function.dimension)
        let value = function.evaluate(point, gradient: &gradient)
        return Place(
            distance: distance, value: value, slope: Vector.dot(direction, gradient),
            found: Found(point: point, value: value, gradient: gradient))
    }

    /// The minimum of the cubic through both ends, kept away from the ends. The middle if there is no minimum.
    private static func between(_ low: Place, _ high: Place) -> Double {
        let width = high.distance - low.distance
        let first = low.slope + high.slope - 3 * (low.value - high.value) / (low.distance - high.distance)
        let root = first * first - low.slope * high.slope
        guard root >= 0, high.value.isFinite else { return low.distance + width / 2 }
        let second = (width < 0 ? -1 : 1) * root.squareRoot()
        let share = (high.slope + second - first) / (high.slope - low.slope + 2 * second)
        let position = 1 - share
        guard position.isFinite else { return low.distance + width / 2 }
        return low.distance + width * min(max(position, 0.1), 0.9)
    }
}
