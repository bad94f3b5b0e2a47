/// A classifier for few photos. Each class is the direction of its mean from the mean of all classes. A photo belongs
/// to the class with the nearest direction (nearest class mean, by the cosine).
///
/// Every photo is also classified without itself, so that even two photos a class can be measured.
package struct Prototypes: Sendable {
    /// Turns a cosine into a logit, before any temperature.
    package static let scale: Float = 10

    /// The mean of the classes' means.
    package let centre: [Float]
    /// classes × features, each row of length 1.
    package let directions: [Float]
    /// The logits of each photo, from a classifier without that photo.
    package let heldOutLogits: [[Float]]

    /// - Parameters:
    ///   - photos: one row for each photo.
    ///   - classes: the class of each photo. Each class has at least one photo.
    package init(_ photos: FeatureMatrix, classes: [Int], classCount: Int) {
        let columns = photos.columns
        var sums = [[Double]](repeating: [Double](repeating: 0, count: columns), count: classCount)
        var counts = [Double](repeating: 0, count: classCount)
        for (row, index) in classes.enumerated() {
            counts[index] += 1
            for (column, value) in photos[row].enumerated() { sums[index][column] += Double(value) }
        }
        let means = sums.indices.map { index in sums[index].map { $0 / max(1, counts[index]) } }
        var middle = [Double](repeating: 0, count: columns)
        for mean in means { Vector.add(mean, times: 1 / Double(classCount), to: &middle) }

        centre = middle.map { Float($0) }
        directions = means.flatMap { Self.direction(of: $0, from: middle).map { Float($0) } }
        heldOutLogits = classes.indices.map { row in
            let own = classes[row]
            let photo = photos[row].map { Double($0) }
            var others = means
            if counts[own] > 1 {
                others[own] = zip(sums[own], photo).map { ($0 - $1) / (counts[own] - 1) }
            }
            var centre = middle
            Vector.add(others[own], times: 1 / Double(classCount), to: &centre)
            Vector.add(means[own], times: -1 / Double(classCount), to: &centre)
            let direction = Self.direction(of: photo, from: centre)
            return others.map { Float(Vector.dot(Self.direction(of: $0, from: centre), direction)) * Self.scale }
        }
    }

    private static func direction(of point: [Double], from centre: [Double]) -> [Double] {
        let difference = Vector.difference(point, centre)
        let length = max(Vector.dot(difference, difference), 1e-12).squareRoot()
        return difference.map { $0 / length }
    }
}
