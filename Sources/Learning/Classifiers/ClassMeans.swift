/// The mean of each class, and how far photos of the classes lie from theirs: what lies farther from all of them is like
/// nothing that was learnt.
///
/// Lee, Lee, Lee and Shin, "A simple unified framework for detecting out-of-distribution samples", NeurIPS 2018, with the
/// cosine in place of Mahalanobis' distance: a covariance takes more photos than most classes have.
package struct ClassMeans: Codable, Sendable, Equatable {
    /// Share of the photos of a training that lie within ``reach``.
    package static let keptShare = 0.95
    /// With fewer photos of some class nothing is said of what is far.
    package static let fewestPhotos = 5

    /// classes × features, row-major; each row of length 1.
    package let directions: [Float]
    /// Cosine distance, 0…2.
    package let reach: Double

    /// Each photo is measured against its own class without it and without what is nearly the same.
    ///
    /// - Parameters:
    ///   - rows: features of each photo.
    ///   - classes: that of each photo, 0 ..< `classCount`.
    ///   - groups: photos that are nearly the same have the same number.
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

    /// Whether a photo lies farther from every mean than photos of the classes do.
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
