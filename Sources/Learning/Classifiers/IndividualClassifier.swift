/// Distinguishes individuals by a few photos of each, and recognises strangers.
///
/// A photo's score for an individual is the mean of two cosines: with the direction of the individual's mean, and with
/// its nearest photo. Features are relative to the mean of all photos. "None of them" is one more answer, whose score
/// is the threshold (open-set recognition by distances, Mendes Júnior et al. 2017).
package struct IndividualClassifier: Sendable {
    /// The features of one photo: a row for each of its views, the plain one first.
    package typealias Views = [[Float]]

    /// The quality of the classifier. Each photo is answered without itself.
    package struct Quality: Sendable, Equatable, Encodable {
        /// The number of photos whose individual has another photo.
        package let photos: Int
        /// The share of these photos whose best individual is the right one. Nil if there are none.
        package let accuracy: Double?
        /// The number of unknown pictures: strangers, and photos whose individual was left out.
        package let strangers: Int
        /// How well the best score separates known individuals from strangers, 0.5…1. Nil if either kind is missing.
        package let strangerAuroc: Double?
        /// At the threshold, the share of known photos that are recognised, and of unknown ones that are refused.
        package let kept: Double?
        package let refused: Double?
    }

    /// Turns a cosine into a logit, before the temperature.
    private static let scale = 20.0
    /// The threshold if there is no photo to measure it.
    private static let defaultThreshold = 0.5
    private static let leastTemperature = 0.5

    package let quality: Quality
    /// The score of the answer "none of them".
    package let threshold: Double
    package let temperature: Double
    private let gallery: Gallery

    /// - Parameters:
    ///   - owners: the individual of each photo, from 0. Each has at least one photo.
    ///   - strangers: photos of other animals.
    package init(_ photos: [Views], owners: [Int], count: Int, strangers: [[Float]]) {
        let gallery = Gallery(photos, owners: owners, count: count, strangers: strangers)
        let held = photos.indices.map { gallery.scores(of: photos[$0][0], without: $0) }
        var unknown = strangers.map { gallery.scores(of: $0, without: nil) }
        var photosOf = [Int](repeating: 0, count: count)
        for owner in owners { photosOf[owner] += 1 }
        let measured = photos.indices.filter { photosOf[owners[$0]] > 1 }
        let genuine = measured.map { held[$0][owners[$0]] }
        // A stranger that is nearer than a tenth of the known photos is probably a known animal without a name yet.
        let near = genuine.sorted().dropFirst(genuine.count / 10).first ?? .infinity
        unknown.removeAll { ($0.max() ?? -1) >= near }
        let others = photos.indices.compactMap { index in
            held[index].indices.filter { $0 != owners[index] }.map { held[index][$0] }.max()
        }
        let impostors = others + unknown.compactMap { $0.max() }
        let threshold = Self.threshold(genuine, impostors)
        let answers = measured.map { (held[$0] + [threshold], owners[$0]) } + unknown.map { ($0 + [threshold], count) }
        let fitted = Temperature.fitting(answers.map { $0.0.map { Float($0 * Self.scale) } }, classes: answers.map(\.1))
        let right = measured.count { index in
            held[index].indices.max { held[index][$0] < held[index][$1] } == owners[index]
        }
        quality = Quality(
            photos: measured.count, accuracy: measured.isEmpty ? nil : Double(right) / Double(measured.count),
            strangers: impostors.count,
            strangerAuroc: ReceiverOperatingCharacteristic.area(
                scores: genuine + impostors, isPositive: genuine.map { _ in true } + impostors.map { _ in false }),
            kept: genuine.isEmpty ? nil : Double(genuine.count { $0 >= threshold }) / Double(genuine.count),
            refused: impostors.isEmpty ? nil : Double(impostors.count { $0 < threshold }) / Double(impostors.count))
        self.threshold = threshold
        temperature = max(Self.leastTemperature, fitted)
        self.gallery = gallery
    }

    /// The probability of each individual, and last the probability of none.
    package func probabilities(of features: [Float]) -> [Double] {
        let scores = gallery.scores(of: features, without: nil) + [threshold]
        return LinearClassifier.probabilities(scores.map { Float($0 * Self.scale) }, temperature: temperature)
    }

    /// The score that best separates known from unknown photos. In a wide gap it lies nearer to the known ones, because
    /// there are many more strangers than the ones seen.
    private static func threshold(_ genuine: [Double], _ impostors: [Double]) -> Double {
        guard let least = genuine.min() else { return impostors.max().map { ($0 + 1) / 2 } ?? defaultThreshold }
        guard !impostors.isEmpty else { return min(defaultThreshold, least) }
        let known = genuine.sorted()
        let unknown = impostors.sorted()
        let scores = (known + unknown).sorted()
        var largest = -Double.infinity
        var places: [Double] = []
        for (low, high) in zip(scores, scores.dropFirst()) where low < high {
            let place = low + (high - low) * 0.7
            let kept = Double(known.count { $0 >= place }) / Double(known.count)
            let refused = Double(unknown.count { $0 < place }) / Double(unknown.count)
            if kept + refused > largest + 1e-12 {
                largest = kept + refused
                places = []
            }
            if kept + refused > largest - 1e-12 { places.append(place) }
        }
        let best = places.isEmpty ? defaultThreshold : places[places.count / 2]
        return max(best, min(defaultThreshold, least * 0.9))
    }
}

extension IndividualClassifier {
    /// The photos of each individual, as directions from the mean of all photos.
    private struct Gallery: Sendable {
        let centre: [Float]
        /// The views of each photo, each of length 1.
        let views: [[[Float]]]
        let owners: [Int]
        /// The sum of each individual's views.
        let sums: [[Float]]

        init(_ photos: [Views], owners: [Int], count: Int, strangers: [[Float]]) {
            let columns = photos.first?.first?.count ?? 0
            let all = photos.map { $0[0] } + strangers
            var middle = [Float](repeating: 0, count: columns)
            for row in all { Vector.add(row, times: 1 / Float(all.count), to: &middle) }
            // A single photo is its own mean, so zero replaces it.
            centre = all.count > 1 ? middle : [Float](repeating: 0, count: columns)
            self.owners = owners
            var sums = [[Float]](repeating: [Float](repeating: 0, count: columns), count: count)
            views = photos.enumerated().map { [centre] index, rows in
                let directions = rows.map { Self.direction(of: $0, from: centre) }
                for row in directions { Vector.add(row, times: 1, to: &sums[owners[index]]) }
                return directions
            }
            self.sums = sums
        }

        /// A score for each individual, −1…1. It is −1 for one without photos.
        ///
        /// - Parameter photo: a photo to leave out.
        func scores(of features: [Float], without photo: Int?) -> [Double] {
            let query = Self.direction(of: features, from: centre)
            var nearest = [Float](repeating: -1, count: sums.count)
            for (index, rows) in views.enumerated() where index != photo {
                for row in rows { nearest[owners[index]] = max(nearest[owners[index]], Vector.product(query, row)) }
            }
            return sums.indices.map { owner in
                var sum = sums[owner]
                if let photo, owners[photo] == owner {
                    for row in views[photo] { Vector.add(row, times: -1, to: &sum) }
                }
                let length = Vector.product(sum, sum).squareRoot()
                guard length > 1e-4 else { return -1 }
                return Double(Vector.product(query, sum) / length + nearest[owner]) / 2
            }
        }

        private static func direction(of row: [Float], from centre: [Float]) -> [Float] {
            let difference = zip(row, centre).map { $0 - $1 }
            let length = Vector.length(difference)
            return difference.map { $0 / length }
        }
    }
}
