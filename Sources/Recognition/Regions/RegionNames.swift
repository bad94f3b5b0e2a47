import Base

/// Names regions of pictures. This is the one place that combines the detector and the classifier.
///
/// The names form a tree of three levels: animal or object; a word such as cat, wild cat, bird or car; species or
/// breed. A fitted sum of both networks' results weighs the words. The classifier's heads decide the last level.
package struct RegionNames: Sendable {
    /// The name of an animal without a word of its own.
    package static let animal = "animal"

    /// The margin added around a box before classification, as a share of its longer side. The classifier learnt from
    /// photos with some room around the animal.
    package static let margin = 0.1
    /// The least score of an animal class with which the classifier is asked about a box.
    package static let leastAnimal: Float = 0.06

    /// The least share of the total for a word. Below it the answer is the wider word.
    private static let sureWord: Float = 0.5
    /// From this likelihood on that a crop shows neither a cat nor a dog, it is just an animal. A wolf's crops have
    /// 0.62 to 0.91, those of a bengal on a lawn up to 0.76 and less over its track.
    private static let neither: Float = 0.75
    /// The general classifier knows fewer species than the zoo's head. If the zoo gives any species this much, the
    /// general classifier's species is only a relative, and is not used.
    private static let related: Float = 0.1
    /// The least likelihood for a species from the general classifier.
    private static let sureObject: Float = 0.5
    /// From this side on, in pixels, a crop shows all the detail that tells species apart. The general classifier is
    /// sure of blurred crops, too: it takes a small sleeping cat for an electric ray.
    private static let detailed: Float = 160
    /// The factor for the score of an animal without a name. The detector is sure if the product reaches 1.
    private static let raised: Float = 1.6
    /// The share of its likelihood that an object loses if the classifier sees nothing with a word.
    private static let doubt: Float = 0.5
    /// The number of words in an answer.
    private static let kept = 5

    private let words: [RegionWord]
    private let indices: [String: Int]
    let likelihoods: RegionLikelihoods
    private let zooLabels: [String]
    private let objectLabels: [String]
    private let abstainBelow: [String: Float]

    /// Nil if the classifier's manifest has no `regions`.
    package init?(_ manifest: ModelManifest, heads: HeadSet) {
        guard let regions = manifest.regions else { return nil }
        let words = RegionWord.all(of: regions, heads: heads)
        self.words = words
        indices = Dictionary(words.indices.map { (words[$0].label, $0) }) { first, _ in first }
        likelihoods = RegionLikelihoods(regions, words: words, kinds: heads.labels(of: "kinds"))
        (zooLabels, objectLabels) = (heads.labels(of: "zoo"), heads.labels(of: "objects"))
        abstainBelow = Dictionary(["zoo", "cats", "dogs"].map { ($0, heads.abstainBelow($0)) }) { first, _ in first }
    }

    /// Every name that a region may have.
    package var labels: [String] { words.map(\.label) }

    /// Whether the classifier can check a box with this detector label.
    package func knows(_ label: String) -> Bool { label == Animals.other || indices[label] != nil }

    /// The name of a region from both networks.
    ///
    /// - Parameters:
    ///   - detector: the scores for all classes in this place. Nil if the detector found nothing.
    ///   - heads: the classifier's answers for the crop.
    ///   - side: the side of the crop in pixels of the picture.
    package func name(detector: DetectorScores?, heads: [HeadAnswer], side: Float) -> RegionName {
        let probabilities = likelihoods.probabilities(detector: detector, heads: heads, side: side)
        let name = name(probabilities, heads: heads, side: side)
        if let detector, let index = detector.likeliest, name.label == Self.animal, name.species == nil {
            // Mossy rocks look like an animal to both networks. So an animal without a name needs the certainty of
            // both.
            let share = name.confidence * name.confidence
            return name.doubted(to: share * min(1, detector.scores[index] * Self.raised))
        }
        guard let detector, let index = detector.likeliest, let thing = indices[detector.labels[index]],
            words[thing].isThing, !Animals.labels.contains(name.label), name.label != Decision.person,
            name.label != "toy"
        else { return name }
        // The classifier cannot name most objects. It can only reduce the detector's confidence.
        let nothing = max(0, 1 - probabilities.reduce(0, +))
        let confidence = max(detector.scores[index] * (1 - Self.doubt * nothing), probabilities[thing])
        let label = words[thing].label
        return RegionName(
            label: label, confidence: confidence,
            words: [Prediction(label: label, confidence: confidence)] + name.words.filter { $0.label != label })
    }

    /// - Parameter probabilities: those of the words.
    private func name(_ probabilities: [Float], heads: [HeadAnswer], side: Float) -> RegionName {
        let order = probabilities.indices.sorted { probabilities[$0] > probabilities[$1] }
        let listed = order.prefix(Self.kept).map { Prediction(label: words[$0].label, confidence: probabilities[$0]) }
        let best = order[0]
        let something = max(probabilities.reduce(0, +), 1e-6)
        let animals = words.indices.filter { words[$0].isAnimal }
        let animal = animals.reduce(0) { $0 + probabilities[$1] }
        var name = RegionName(label: words[best].label, confidence: probabilities[best], words: listed)
        var among = [best]
        var rivals = among
        let isUnsure =
            words[best].label == Self.animal || probabilities[best] < Self.sureWord * something
            || isDenied(words[best].label, by: heads, detail: Self.detail(ofSide: side))
        if isUnsure, animal >= Self.sureWord * something {
            let wide = Prediction(label: Self.animal, confidence: animal)
            name = RegionName(
                label: Self.animal, confidence: animal, words: [wide] + listed.filter { $0.label != Self.animal })
            among = animals.filter { Animals.breedHeads[words[$0].label] == nil }
            rivals = animals
        }
        guard words[best].isAnimal || among.count > 1 else { return name }
        if let head = Animals.breedHeads[name.label] {
            name.breeds = heads[head]
            let first = name.breeds?.first?.confidence ?? 0
            name.isSureOfBreed = first * name.confidence >= abstainBelow[head] ?? 0 && first > 0
        } else {
            name.species = species(among, against: rivals, name.confidence, heads, detail: Self.detail(ofSide: side))
            // What all animals have together is the certainty of a species alone.
            if name.species == nil, words[best].label == Self.animal {
                name = RegionName(label: Self.animal, confidence: probabilities[best], words: listed)
            }
        }
        return name
    }

    /// Whether the classifier denies that a crop shows this cat or dog. About a small crop it knows less.
    private func isDenied(_ label: String, by heads: [HeadAnswer], detail: Float) -> Bool {
        guard Animals.breedHeads[label] != nil, let presence = heads["presence"] else {
            return false
        }
        return detail * (presence.confidence(of: "other") ?? 0) >= Self.neither
    }

    /// The share, 0.2…1, of the detail that tells species apart in a crop of this side.
    package static func detail(ofSide side: Float) -> Float { min(max(side / detailed, 0.2), 1) }

    /// The species among some words: the zoo head's if sure, otherwise the general classifier's. A label that is one of
    /// the words, such as `cow`, adds nothing.
    ///
    /// - Parameter rivals: the words that share the certainty. A region that may be a dog is no wolf for sure.
    private func species(
        _ among: [Int], against rivals: [Int], _ confidence: Float, _ heads: [HeadAnswer], detail: Float
    ) -> RegionName.Kind? {
        func kind(
            _ head: String, _ places: [Int], _ rivals: [Int], _ labels: [String], from least: Float, rest: Bool,
            certainty: Float = 1
        ) -> RegionName.Kind? {
            guard let values = heads[head]?.probabilities,
                let best = places.filter({ $0 < values.count }).max(by: { values[$0] < values[$1] }),
                !among.contains(where: { words[$0].label == labels[best] })
            else { return nil }
            let all = RegionLikelihoods.sum(values, rivals) + (rest ? max(0, 1 - values.reduce(0, +)) : 0)
            let share = all > 0 ? certainty * confidence * values[best] / all : 0
            guard share >= least else { return nil }
            return RegionName.Kind(head: head, prediction: Prediction(label: labels[best], confidence: share))
        }
        let animals = among.flatMap { words[$0].zoo }
        let sure = abstainBelow["zoo"] ?? 1
        if let species = kind("zoo", animals, animals, zooLabels, from: sure, rest: true) { return species }
        let zoo = heads["zoo"]?.probabilities ?? []
        guard animals.allSatisfy({ RegionLikelihoods.sum(zoo, [$0]) < Self.related }) else { return nil }
        return kind(
            "objects", among.flatMap { words[$0].objects }, rivals.flatMap { words[$0].objects }, objectLabels,
            from: Self.sureObject, rest: false, certainty: detail)
    }

    /// The name from the detector alone. Its animals without a class become `animal`.
    package static func name(_ label: String, _ confidence: Float) -> RegionName {
        RegionName(label: label == Animals.other ? animal : label, confidence: confidence)
    }
}
