/// The mean of each class, and the usual distance of photos from the mean of their class. A photo farther from all
/// means resembles nothing that was learnt.
///
/// Lee, Lee, Lee and Shin, "A simple unified framework for detecting out-of-distribution samples", NeurIPS 2018. The
/// cosine replaces the Mahalanobis distance, whose covariance needs more photos than most classes have.
package struct ClassMeans: Codable, Sendable, Equatable {
    /// The share of training photos that lie within ``reach``.
    package static let keptShare = 0.95
    /// The fewest photos of each class. With fewer, no distance counts as far.
    package static let fewestPhotos = 5

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
            Self.add(row, scale: 1 / Self.length(row), to: &sums[place])
            counts[place] += 1
        }
        guard columns > 0, counts.allSatisfy({ $0 >= Self.fewestPhotos }) else { return nil }
        var distances: [Double] = []
        for alike in Dictionary(grouping: rows.indices, by: { [classes[$0], groups[$0]] }).values {
            let place = classes[alike[0]]
            guard alike.count < counts[place] else { continue }
            var others = sums[place]
            for photo in alike { Self.add(rows[photo], scale: -1 / Self.length(rows[photo]), to: &others) }
            let length = Self.length(others)
            for photo in alike {
                let row = rows[photo]
                distances.append(1 - Double(Self.product(row, others[...]) / (length * Self.length(row))))
            }
        }
        guard !distances.isEmpty else { return nil }
        distances.sort()
        reach = distances[min(distances.count - 1, Int(Double(distances.count) * Self.keptShare))]
        directions = sums.flatMap { sum in
            let length = Self.length(sum)
            return sum.map { $0 / length }
        }
    }

    /// Whether a photo lies farther from every mean than ``reach``.
    ///
    /// - Parameter features: as many as a row of ``directions`` has.
    package func isFar(_ features: [Float]) -> Bool {
        let length = Self.length(features)
        let nearest = stride(from: 0, to: directions.count, by: features.count)
            .map { Self.product(features, directions[$0..<($0 + features.count)]) / length }.max()
        return 1 - Double(nearest ?? 1) > reach
    }

    private static func length(_ row: [Float]) -> Float { max(product(row, row[...]), 1e-12).squareRoot() }

    private static func product(_ left: [Float], _ right: ArraySlice<Float>) -> Float {
        zip(left, right).reduce(0) { $0 + $1.0 * $1.1 }
    }

    private static func add(_ row: [Float], scale: Float, to sum: inout [Float]) {
        for column in row.indices { sum[column] += row[column] * scale }
    }
}
