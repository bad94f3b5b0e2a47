import Base
import Foundation
import Imaging
import Testing

@testable import Recognition

/// The joint decision with the shipped weights.
@Suite("Names of regions") struct RegionNamesTests {
    private let manifest: ModelManifest
    private let heads: HeadSet
    private let names: RegionNames

    init() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Models/menagerie/manifest.json").standardized
        manifest = try JSONDecoder().decode(ModelManifest.self, from: Data(contentsOf: file))
        heads = HeadSet(manifest: manifest, outputNames: manifest.heads.keys.sorted())
        names = try #require(RegionNames(manifest, heads: heads))
    }

    /// Heads' answers with these shares for these labels. The rest up to 1 goes to other classes.
    private func says(_ shares: [String: [String: Float]]) -> [HeadAnswer] {
        ["kinds", "zoo", "objects", "cats", "dogs"].map { head in
            let labels = heads.labels(of: head)
            let given = shares[head] ?? [:]
            let rest = head == "zoo" || head == "cats" || head == "dogs" ? 0 : 1 - given.values.reduce(0, +)
            return HeadAnswer(
                name: head, labels: labels,
                probabilities: labels.map { given[$0] ?? rest / Float(labels.count - given.count) })
        }
    }

    private func sees(_ scores: [String: Float]) -> DetectorScores {
        let labels = COCOLabels.all + [Animals.other]
        return DetectorScores(labels: labels, scores: labels.map { scores[$0] ?? 0.01 })
    }

    @Test func `a grey cat that the detector calls a bear is a cat, with its breed`() throws {
        let seen = sees(["bear": 0.84, "cat": 0.3])
        let said = says([
            "kinds": ["cat": 0.95], "objects": ["tabby": 0.2, "egyptian_cat": 0.4], "cats": ["siamese": 0.91],
        ])
        let name = names.name(detector: seen, heads: said, side: 200)
        #expect(name.label == "cat" && name.confidence > 0.8)
        #expect(name.kind?.prediction.label == "siamese" && name.kind?.head == "cats")
        let bear = try #require(names.labels.firstIndex(of: "bear"))
        #expect(names.likelihoods.probabilities(detector: seen, heads: said, side: 200)[bear] < 0.2)
    }

    @Test func `a lynx that the detector calls a sports ball is a wild cat, with its species`() {
        let name = names.name(
            detector: sees(["sports ball": 0.45, Animals.other: 0.2]),
            heads: says([
                "kinds": ["wild_cat": 0.9], "zoo": ["eurasian_lynx": 0.93], "objects": ["lynx": 0.8],
            ]), side: 200)
        #expect(name.label == "wild cat")
        #expect(name.species?.prediction.label == "eurasian_lynx" && name.species?.head == "zoo")
    }

    @Test func `an elephant has the species of the general classifier, since the zoo has none`() {
        let name = names.name(
            detector: sees(["elephant": 0.8]),
            heads: says(["kinds": ["other_animal": 0.95], "objects": ["indian_elephant": 0.8, "tusker": 0.15]]),
            side: 200)
        #expect(name.label == "elephant" && name.species?.prediction.label == "indian_elephant")
    }

    @Test func `an alpaca that the general classifier takes for a llama is an animal`() {
        func name(_ alpaca: Float) -> RegionName {
            names.name(
                detector: sees([Animals.other: 0.6]),
                heads: says(["kinds": ["farm_animal": 0.9], "zoo": ["alpaca": alpaca], "objects": ["llama": 0.95]]),
                side: 200)
        }
        #expect(name(0.25).label == "animal" && name(0.25).species == nil)
        #expect(name(0.95).species?.prediction.label == "alpaca")
        #expect(name(0.01).species?.prediction.label == "llama")
    }

    @Test func `a small crop that looks like an electric ray is an animal, and the zoo's species stay`() {
        func name(_ side: Float, zoo: Float = 0) -> RegionName {
            names.name(
                detector: sees([Animals.other: 0.57, "cat": 0.1, "dog": 0.1]),
                heads: says([
                    "kinds": ["other_animal": 0.9], "objects": ["electric_ray": 0.7, "dugong": 0.1],
                    "zoo": ["grey_seal": zoo],
                ]), side: side)
        }
        #expect(name(94).label == "animal" && name(94).species == nil)
        #expect(name(94).confidence < name(200).confidence)
        #expect(name(200).species?.prediction.label == "electric_ray")
        #expect(name(94, zoo: 0.95).species?.prediction.label == "grey_seal")
    }

    @Test func `a wolf that all but the presence of cats and dogs take for a dog is an animal`() {
        func name(_ other: Float, breed: String = "schipperke", side: Float = 300) -> RegionName {
            let presence = HeadAnswer(
                name: "presence", labels: ["cat", "dog", "other"], probabilities: [0, 1 - other, other])
            return names.name(
                detector: sees(["dog": 0.74, Animals.other: 0.12]),
                heads: says([
                    "kinds": ["dog": 0.7, "wild_dog": 0.25], "objects": [breed: 0.6], "dogs": [breed: 0.9],
                ]) + [presence], side: side)
        }
        #expect(name(0.7).label == "dog" && name(0.7).kind?.prediction.label == "schipperke")
        #expect(name(0.8).label == "animal" && name(0.8).kind == nil)
        #expect(name(0.8).confidence(of: "dog") ?? 0 > 0.5)
        #expect(name(0.8, side: 100).label == "dog")
    }

    @Test func `a dog that presence denies is a wolf only if the general classifier knows a wolf rather than a dog`() {
        func name(wolf: Float, dog: Float) -> RegionName {
            let presence = HeadAnswer(name: "presence", labels: ["cat", "dog", "other"], probabilities: [0, 0.1, 0.9])
            let said = says([
                "kinds": ["dog": 0.6, "wild_dog": 0.3], "objects": ["timber_wolf": wolf, "malamute": dog],
            ])
            return names.name(detector: sees(["dog": 0.74]), heads: said + [presence], side: 300)
        }
        #expect(name(wolf: 0.2, dog: 0.75).label == "animal" && name(wolf: 0.2, dog: 0.75).species == nil)
        let wolf = name(wolf: 0.75, dog: 0.2)
        #expect(wolf.label == "wild dog" && wolf.species?.prediction.label == "timber_wolf")
    }

    @Test func `torn between two animals it says an animal, and no species`() {
        let name = names.name(
            detector: sees(["bear": 0.3, "sheep": 0.3, Animals.other: 0.3]),
            heads: says(["kinds": ["farm_animal": 0.45, "other_animal": 0.45]]), side: 200)
        #expect(name.label == "animal" && name.kind == nil)
        #expect(name.words.first?.label == "animal" && name.words.first?.confidence == name.confidence)
    }

    @Test func `a bed under an animal is not an animal, and its score does not count for one`() {
        let bed = sees(["bed": 0.7, "cat": 0.1])
        #expect(bed.isHolder && bed.strength(for: "cat") < 0.2 && bed.strength(for: "bed") == 0.7)
        #expect(!sees(["bed": 0.3, "cat": 0.2]).isHolder)
        #expect(sees(["bear": 0.7, "cat": 0.1]).strength(for: "cat") == 0.7)
    }

    @Test func `a sure name in a doubtful box stays a sure name`() throws {
        let sure = names.name(
            detector: sees(["cat": 0.2]), heads: says(["kinds": ["cat": 0.97], "objects": ["tabby": 0.6]]), side: 200)
        let boxed = sure.boxed(withScore: 0.2)
        #expect(boxed.likelihood == sure.confidence && sure.likelihood == sure.confidence)
        #expect(boxed.confidence < 0.3)
    }

    @Test func `a stone that only the detector takes for an animal gets little confidence`() {
        let name = names.name(
            detector: sees([Animals.other: 0.5]),
            heads: says(["kinds": ["scene": 0.9], "objects": ["cliff": 0.6, "promontory": 0.2]]), side: 200)
        #expect(name.confidence < 0.4)
    }

    @Test func `scissors on a floor are doubted, a car that both see is not`() {
        let floor = says(["kinds": ["scene": 0.8, "object": 0.15], "objects": ["doormat": 0.6]])
        #expect(names.name(detector: sees(["scissors": 0.45]), heads: floor, side: 200).confidence < 0.4)
        let car = says(["kinds": ["object": 0.95], "objects": ["sports_car": 0.7, "convertible": 0.2]])
        let name = names.name(detector: sees(["car": 0.6]), heads: car, side: 200)
        #expect(name.label == "car" && name.confidence > 0.5)
    }

    @Test func `the classifier alone names a place without a box, or says that nothing is there`() {
        let cat = names.name(
            detector: nil, heads: says(["kinds": ["cat": 0.95], "objects": ["tabby": 0.6, "egyptian_cat": 0.3]]),
            side: 200)
        #expect(cat.label == "cat" && cat.confidence > 0.8)
        let wall = names.name(
            detector: nil, heads: says(["kinds": ["scene": 0.9], "objects": ["sliding_door": 0.7]]), side: 200)
        #expect(wall.confidence < 0.4)
    }

    // MARK: People beside animals

    private func box(
        _ label: String, x: Double, y: Double, width: Double, height: Double, _ scores: [String: Float],
        confidence: Float = 0.7
    ) -> DetectedBox {
        DetectedBox(
            region: PictureRegion(x: x, y: y, width: width, height: height), label: label, confidence: confidence,
            scores: sees(scores))
    }

    private func people(_ boxes: DetectedBox...) -> [Int: RegionName] {
        RegionNames.people(among: boxes, inWidth: 600, height: 600)
    }

    @Test func `a man with a dog is no second dog, and the dog stays one`() {
        let dog = box("dog", x: 0.4, y: 0.6, width: 0.1, height: 0.2, ["dog": 0.7, "person": 0.1])
        let man = box("dog", x: 0.42, y: 0.3, width: 0.2, height: 0.5, ["dog": 0.1, "person": 0.6])
        let found = people(man, dog)
        #expect(found.keys.sorted() == [0])
        #expect(found[0]?.label == "person" && found[0]?.confidence == 0.6)
    }

    @Test func `of two that the detector takes for people the one more like a dog is the dog`() {
        let dog = box("dog", x: 0.4, y: 0.6, width: 0.1, height: 0.2, ["dog": 0.4, "person": 0.5])
        let woman = box("dog", x: 0.42, y: 0.3, width: 0.2, height: 0.5, ["dog": 0.27, "person": 0.45])
        #expect(people(dog, woman).keys.sorted() == [1])
    }

    @Test func `a doubtful box on a part of a dog makes the dog no person`() {
        let dog = box("dog", x: 0.4, y: 0.3, width: 0.2, height: 0.5, ["dog": 0.3, "person": 0.42])
        let part = box("dog", x: 0.45, y: 0.6, width: 0.1, height: 0.2, ["dog": 0.4, "person": 0.1], confidence: 0.4)
        #expect(people(dog, part).isEmpty)
    }

    @Test func `a dog that the detector takes for a person stays a dog, alone, at one place, apart or beside a cat`() {
        let dog = box("dog", x: 0.1, y: 0.3, width: 0.2, height: 0.5, ["dog": 0.3, "person": 0.6])
        let double = box("dog", x: 0.11, y: 0.31, width: 0.2, height: 0.5, ["dog": 0.5, "person": 0.4])
        let apart = box("dog", x: 0.7, y: 0.3, width: 0.2, height: 0.5, ["dog": 0.7])
        let cat = box("cat", x: 0.2, y: 0.6, width: 0.1, height: 0.2, ["cat": 0.7])
        #expect(people(dog).isEmpty)
        #expect(people(dog, double).isEmpty)
        #expect(people(dog, apart).isEmpty)
        #expect(people(dog, cat).isEmpty)
    }

    @Test func `the crop around a sure person shows the dog beside, and no dog apart or at the same place`() {
        func shows(_ other: DetectedBox, person: [String: Float] = ["person": 0.7]) -> Bool {
            let crop = PictureRegion(x: 0.3, y: 0.2, width: 0.6, height: 0.6)
            let man = PictureRegion(x: 0.42, y: 0.3, width: 0.2, height: 0.5)
            return RegionNames.showsAnimal(crop, around: man, sees(person), among: [other])
        }
        let beside = box("dog", x: 0.2, y: 0.6, width: 0.2, height: 0.2, ["dog": 0.7])
        #expect(shows(beside))
        #expect(!shows(beside, person: ["person": 0.7, "dog": 0.2]))
        #expect(!shows(box("dog", x: 0.1, y: 0.3, width: 0.15, height: 0.5, ["dog": 0.7])))
        #expect(!shows(box("dog", x: 0.42, y: 0.3, width: 0.2, height: 0.45, ["dog": 0.5])))
    }

    @Test func `the probabilities of all words never exceed 1, whatever the networks say`() {
        for side: Float in [0, 8, 64, 4_000] {
            for score: Float in [0, 0.5, 1] {
                let values = names.likelihoods.probabilities(
                    detector: sees(["cat": score]), heads: says(["kinds": ["cat": score]]), side: side)
                #expect(values.allSatisfy { $0.isFinite && $0 >= 0 } && values.reduce(0, +) <= 1.0001)
            }
        }
        #expect(!names.likelihoods.probabilities(detector: nil, heads: [], side: 100).contains { !$0.isFinite })
    }

    @Test func `every weight of the manifest belongs to an input`() throws {
        let regions = try #require(manifest.regions)
        let words = RegionWord.all(of: regions, heads: heads)
        let inputs = Set(RegionLikelihoods(regions, words: words, kinds: heads.labels(of: "kinds")).inputs)
        for fit in [regions.together, regions.closer] {
            #expect(fit.words.values.allSatisfy { inputs.isSuperset(of: $0.weights.keys) })
            #expect(fit.words["thing"] != nil && fit.words["nothing"] != nil)
        }
        #expect(Set(regions.together.words.values.flatMap(\.weights.keys)) == inputs)
    }

    @Test func `every label of the table is one of the classifier's`() {
        #expect(names.labels.count == 84)
        #expect(Set(COCOLabels.all + Animals.unnamed + ["toy"]) == Set(names.labels))
        #expect(names.knows(Animals.other) && !names.knows("licence plate"))
    }

    /// A version that was swapped in meanwhile may know fewer classes.
    @Test(arguments: ["zoo", "objects"]) func `a head with fewer classes than expected is read as far as it goes`(
        _ short: String
    ) {
        let said = says(["kinds": ["wild_cat": 0.9], "zoo": ["eurasian_lynx": 0.93], "objects": ["lynx": 0.8]])
        let shorter = said.map { answer in
            guard answer.name == short else { return answer }
            return HeadAnswer(name: short, labels: Array(answer.labels.prefix(1)), probabilities: [0])
        }
        let seen = sees(["sports ball": 0.45, Animals.other: 0.2])
        #expect(names.name(detector: seen, heads: shorter, side: 200).label == "wild cat")
    }
}
