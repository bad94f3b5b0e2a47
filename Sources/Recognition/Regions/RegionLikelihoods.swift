import Base
import func Glibc.log
import func Glibc.log1p

/// A word for what a region shows, with the classes of the classifier's heads that mean it.
struct RegionWord: Sendable {
    let label: String
    let isAnimal: Bool
    /// Whether it is neither an animal nor a person nor a toy.
    let isThing: Bool
    let zoo: [Int]
    let objects: [Int]

    /// The words of a manifest, sorted by label.
    static func all(of regions: ModelManifest.Regions, heads: HeadSet) -> [RegionWord] {
        func places(_ names: [String]?, in head: String) -> [Int] {
            let labels = heads.labels(of: head)
            return (names ?? []).compactMap { labels.firstIndex(of: $0) }
        }
        return regions.words.sorted { $0.key < $1.key }.map { label, word in
            let isAnimal = Animals.labels.contains(label)
            return RegionWord(
                label: label, isAnimal: isAnimal, isThing: !isAnimal && label != Decision.person && label != "toy",
                zoo: places(word.zoo, in: "zoo"), objects: places(word.objects, in: "objects"))
        }
    }
}

/// The likelihoods of words for a region: a multinomial logistic regression on logarithms of the detector's and the
/// classifier's probabilities.
struct RegionLikelihoods: Sendable {
    /// From this side on, in pixels, a crop has the classifier's full trust.
    private static let trusted: Float = 64
    private static let leastTrust: Float = 0.2

    /// A fit with its weights in the order of the inputs.
    private struct Weights: Sendable {
        let things: ModelManifest.Regions.Things
        let sums: [(bias: Float, weights: [Float])]
        /// For each word and for no word, the place among `sums`.
        let places: [Int]

        init(_ fit: ModelManifest.Regions.Fit, inputs: [String], words: [RegionWord]) {
            things = fit.things
            let labels = fit.words.keys.sorted()
            sums = labels.compactMap { fit.words[$0] }.map { sum in
                (sum.bias, inputs.map { sum.weights[$0] ?? 0 })
            }
            places = (words.map(\.label) + ["nothing"]).map { label in
                labels.firstIndex(of: label) ?? labels.firstIndex(of: "thing") ?? 0
            }
        }
    }

    private let words: [RegionWord]
    /// For each label of a detector, the place of its score: that of its word, or behind all words.
    private let places: [String: Int]
    /// The places of the scores that are inputs by themselves.
    private let detected: [Int]
    private let floors: ModelManifest.Regions.Floors
    private let together, closer: Weights
    /// The words with species of the zoo, and the animals with classes of the general classifier.
    private let species, classed: [RegionWord]
    /// The places of the things among the words.
    private let things: [Int]
    private let kinds: [String]
    /// The general classifier's classes with a word.
    private let objects: [Int]
    /// The names of the inputs, in the order of `values`.
    let inputs: [String]

    /// - Parameter kinds: the labels of the head `kinds`.
    init(_ regions: ModelManifest.Regions, words: [RegionWord], kinds: [String]) {
        self.words = words
        self.kinds = kinds
        let labels = words.map(\.label) + [Animals.other]
        let places = Dictionary(zip(labels, labels.indices)) { first, _ in first }
        let detected = (Animals.named + [Animals.other, Decision.person, "teddy bear"]).compactMap { places[$0] }
        (self.places, self.detected) = (places, detected)
        floors = regions.floors
        species = words.filter { !$0.zoo.isEmpty }
        classed = words.filter { $0.isAnimal && !$0.objects.isEmpty }
        things = words.indices.filter { words[$0].isThing }
        objects = Set(words.flatMap(\.objects)).sorted()
        inputs =
            (detected.map { labels[$0] } + ["thing", "any"]).map { "detector." + $0 } + kinds.map { "kinds." + $0 }
            + species.map { "zoo." + $0.label } + classed.map { "objects." + $0.label }
            + ["objects.thing", "objects.nothing", "crop.trust", "crop.size"]
        together = Weights(regions.together, inputs: inputs, words: words)
        closer = Weights(regions.closer, inputs: inputs, words: words)
    }

    /// The likelihood of each word. The rest up to 1 is the likelihood that nothing with a word is there.
    ///
    /// - Parameters:
    ///   - detector: the scores for all classes in this place. Nil if the detector found nothing.
    ///   - heads: the classifier's answers for the crop.
    ///   - side: the side of the crop in pixels of the picture. The classifier is unsure about tiny crops.
    func probabilities(detector: DetectorScores?, heads: [HeadAnswer], side: Float) -> [Float] {
        let fit = detector == nil ? closer : together
        let trust = min(max(side / Self.trusted, Self.leastTrust), 1)
        var own = [Float](repeating: 0, count: words.count + 1)
        for (label, score) in zip(detector?.labels ?? [], detector?.scores ?? []) {
            if let place = places[label] { own[place] = score }
        }
        let general = heads["objects"]?.probabilities ?? []
        let seen = words.map { Self.sum(general, $0.objects) }
        let bestThing = things.reduce(0) { max($0, own[$1]) }
        let scores = detected.map { own[$0] } + [bestThing, detector?.scores.max() ?? 0]
        let values = values(scores, heads, seen: seen, general, side: side, trust: trust)
        let sums = fit.sums.map { sum in zip(sum.weights, values).reduce(sum.bias) { $0 + $1.0 * $1.1 } }
        var logits = fit.places.map { sums[$0] }
        for index in things {
            logits[index] +=
                fit.things.own * Self.level(own[index], floors.detector) + fit.things.score * own[index]
                + fit.things.objects * trust * Self.level(seen[index], floors.objects)
                + (words[index].objects.isEmpty ? fit.things.unmapped : 0)
        }
        return Array(Softmax.probabilities(of: logits).dropLast())
    }

    /// The inputs of the sums.
    ///
    /// - Parameters:
    ///   - scores: the detector's scores that are inputs.
    ///   - seen: the general classifier's probability of each word.
    private func values(
        _ scores: [Float], _ heads: [HeadAnswer], seen: [Float], _ general: [Float], side: Float, trust: Float
    ) -> [Float] {
        let (said, zoo) = (heads["kinds"]?.probabilities ?? [], heads["zoo"]?.probabilities ?? [])
        let shares =
            classed.map { Self.sum(general, $0.objects) } + [
                things.reduce(0) { $0 + seen[$1] }, 1 - Self.sum(general, objects),
            ]
        return scores.map { Self.level($0, floors.detector) }
            + kinds.indices.map { trust * Self.level(Self.sum(said, [$0]), floors.kinds) }
            + species.map { trust * Self.level(Self.sum(zoo, $0.zoo), floors.zoo) }
            + shares.map { trust * Self.level($0, floors.objects) } + [trust, log(max(side, 1))]
    }

    /// The sum of the values at some places. Another version of the classifier may have fewer values.
    static func sum(_ values: [Float], _ places: [Int]) -> Float {
        places.reduce(0) { $1 < values.count ? $0 + values[$1] : $0 }
    }

    private static func level(_ share: Float, _ floor: Float) -> Float { log1p(max(share, 0) / floor) }
}
