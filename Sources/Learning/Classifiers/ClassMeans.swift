/// The mean of each class, and the usual distance of photos from the mean of their class. A photo farther from all
/// means resembles nothing that was learnt.
///
/// Lee, Lee, Lee and Shin, "A simple unified framework for detecting out-of-distribution samples", NeurIPS 2018. The
/// cosine replaces the Mahalanobis distance, whose covariance needs more photos than most classes have.
package struct ClassMeans: Codable, Sendable, Equatable {
    /// The share of training photos that lie within ``reach``.
    package static let keptShare = 0.95
    /// The fewest photos of each class from which the reach is measured.
    package static let fewestPhotos = 5
    /// The reach if a class has fewer photos, or if its photos are nearly the same. Measured with two photos of each
    /// class and the embedded model's features: 9 % of further photos of the classes are farther away than this, and 93
    /// % of photos of other things.
    package static let usualReach = 0.55
    /// Photos are nearly the same if their reach is less than this share of the distance between classes.
    package static let leastShare = 0.25

    /// classes × features, row-major; each row of length 1.
    package let directions: [Float]
    /// The largest usual cosine distance, 0…2.
    package let reach: Double

    /// Measures each photo against its own class, leaving out the photo and its near-duplicates.
    ///
    /// - Parameters:
    ///   - rows: the features of each photo.
    ///   - classes: the class of each photo, 0 ..< `classCount`.
    ///   - groups: a number for each photo, equal for near-duplicates.
    package init?(_ rows: [[Float]], classes: [Int], groups: [Int], classCount: Int) {
        let columns = rows.first?.count ?? 0
        var sums = [[Float]](repeating: [Float](repeating: 0, count: columns), count: classCount)
        var counts = [Int](repeating: 0, count: classCount)
        for (row, place) in zip(rows, classes) {
            Vector.add(row, times: 1 / Vector.length(row), to: &sums[place])
            counts[place] += 1
        }
        guard columns > 0, counts.allSatisfy({ $0 > 0 }) else { return nil }
        let directions = sums.flatMap { sum in
            let length = Vector.length(sum)
            return sum.map { $0 / length }
        }
        var distances: [Double] = []
        for alike in Dictionary(grouping: rows.indices, by: { [classes[$0], groups[$0]] }).values {
            let place = classes[alike[0]]
            guard alike.count < counts[place] else { continue }
            var others = sums[place]
            for photo in alike { Vector.add(rows[photo], times: -1 / Vector.length(rows[photo]), to: &others) }
            let length = Vector.length(others)
            for photo in alike { distances.append(Self.distance(rows[photo], others[...], length)) }
        }
        distances.sort()
        let isMeasured = !distances.isEmpty && counts.allSatisfy { $0 >= Self.fewestPhotos }
        let measured =
            isMeasured ? distances[min(distances.count - 1, Int(Double(distances.count) * Self.keptShare))] : 0
        // Each class's mean against the next one's: all pairs of a thousand classes would take too long.
        let apart = stride(from: columns, to: directions.count, by: columns).map { place in
            Self.distance(Array(directions[place - columns..<place]), directions[place..<place + columns], 1)
        }.sorted()
        let isSpread = measured > (apart.isEmpty ? 0 : apart[apart.count / 2] * Self.leastShare)
        reach = isSpread ? measured : Self.usualReach
        self.directions = directions
    }

    /// Whether a photo lies farther from every mean than ``reach``.
    ///
    /// - Parameter features: as many as a row of ``directions`` has. Otherwise nothing is far.
    package func isFar(_ features: [Float]) -> Bool {
        guard !features.isEmpty, directions.count.isMultiple(of: features.count) else { return false }
        let nearest = stride(from: 0, to: directions.count, by: features.count)
            .map { Self.distance(features, directions[$0..<($0 + features.count)], 1) }.min()
        return (nearest ?? 0) > reach
    }

    private static func distance(_ row: [Float], _ direction: ArraySlice<Float>, _ length: Float) -> Double {
        1 - Double(Vector.product(row, direction) / (length * Vector.length(row)))
    }
}
