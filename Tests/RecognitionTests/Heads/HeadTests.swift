import Base
import Foundation
import Testing
@testable import Recognition

@Suite("Heads") struct HeadTests {
    func answer(_ name: String, _ pairs: KeyValuePairs<String, Float>) -> HeadAnswer {
        HeadAnswer(name: name, labels: pairs.map(\.key), probabilities: pairs.map(\.value))
    }

    func heads() throws -> HeadSet {
        let manifest = try TestModels.manifest()
        return HeadSet(manifest: manifest, outputNames: manifest.outputs.keys.sorted())
    }

    @Test func `softmax sums to one, also for huge logits and with a temperature`() {
        #expect(Softmax.probabilities(of: [0, 0]) == [0.5, 0.5])
        #expect(Softmax.probabilities(of: [10_000, 0, -10_000]) == [1, 0, 0])
        let warm = Softmax.probabilities(of: [2, 0], temperature: 2)
        #expect(abs(warm[0] - 0.731_058_6) < 1e-6)
        #expect(abs(warm.reduce(0, +) - 1) < 1e-6)
    }

    @Test func `top is ordered, stable and bounded`() {
        let head = answer("x", ["a": 0.1, "b": 0.4, "c": 0.4, "d": 0.1])
        #expect(head.top(4).map(\.label) == ["b", "c", "a", "d"])
        #expect(head.first?.label == "b")
        #expect(head.top(99).count == 4)
        #expect(head.top(0).isEmpty)
        #expect(head.top(-1).isEmpty)
    }

    @Test func `a few of many are those that sorting gives`() {
        var random = SystemRandomNumberGenerator()
        for count in [0, 1, 3, 12] {
            // There are a dozen different values among 200, so many are equal.
            let probabilities = (0..<200).map { _ in Float(Int.random(in: 0..<12, using: &random)) / 12 }
            let head = HeadAnswer(name: "x", labels: (0..<200).map { "\($0)" }, probabilities: probabilities)
            #expect(head.top(count) == Array(head.top(200).prefix(count)))
        }
    }

    @Test(arguments: [(Float(0.9123), "91.2%"), (1, "100.0%"), (0, "0.0%"), (0.0005, "0.1%"), (0.99951, "100.0%")])
    func `percentages have one decimal`(confidence: Float, text: String) {
        #expect(Prediction(label: "x", confidence: confidence).percent == text)
    }

    @Test func `the head that answers follows presence`() throws {
        let heads = try heads()
        let cats = answer("cats", ["siamese": 0.9])
        let dogs = answer("dogs", ["pug": 0.9])
        let objects = answer("objects", ["volcano": 0.9])
        func decide(
            cat: Float, dog: Float, other: Float, zoo: Float = 0, requested: String? = nil
        ) -> Decision {
            let presence = answer("presence", ["cat": cat, "dog": dog, "other": other])
            return Decision(
                answers: [presence, cats, dogs, answer("zoo", ["red_panda": zoo]), objects], heads: heads,
                requested: requested)
        }
        #expect(decide(cat: 0.8, dog: 0.1, other: 0.1).head == "cats")
        #expect(decide(cat: 0.1, dog: 0.8, other: 0.1).head == "dogs")
        #expect(decide(cat: 0.1, dog: 0.1, other: 0.8, zoo: 0.9).head == "zoo")
        #expect(decide(cat: 0.1, dog: 0.1, other: 0.8, zoo: 0.1).head == "objects")
        #expect(!decide(cat: 0.8, dog: 0.1, other: 0.1).abstained)
        let contradicted = decide(cat: 0.1, dog: 0.1, other: 0.8, requested: "cats")
        #expect(contradicted.head == "cats" && contradicted.abstained)
        #expect(
            Message.text(for: contradicted, in: .english) == "I don't think this is a cat but if it was it would be:")
        #expect(
            Message.text(for: decide(cat: 0.8, dog: 0.1, other: 0.1), in: .english)
                == "This cat shares the features of:")
    }

    @Test func `fruit answers where it is confident, and never by itself where the manifest does not say from when on`()
        throws
    {
        let heads = try heads()
        let from = try #require(heads.answerFrom("fruit"))
        func decide(fruit: Float, zoo: Float = 0, heads: HeadSet, cat: Float = 0) -> String {
            let answers = [
                answer("presence", ["cat": cat, "other": 1 - cat]), answer("cats", ["siamese": 0.9]),
                answer("zoo", ["red_panda": zoo]), answer("objects", ["fig": 0.9]), answer("fruit", ["plum": fruit]),
            ]
            return Decision(answers: answers, heads: heads, requested: nil).head
        }
        #expect(decide(fruit: from, heads: heads) == "fruit")
        #expect(decide(fruit: from - 0.01, heads: heads) == "objects")
        #expect(decide(fruit: 0.99, heads: heads, cat: 0.9) == "cats")
        #expect(decide(fruit: 0.9, zoo: 0.95, heads: heads) == "zoo")
        #expect(decide(fruit: 0.95, zoo: 0.9, heads: heads) == "fruit")
        let silent = ModelManifest(
            name: "m", version: "1", file: "m.onnx", sha256: "", task: .classification,
            input: try TestModels.manifest().input, heads: ["fruit": ModelManifest.Head(labels: ["plum", "apple"])])
        let unsaid = HeadSet(manifest: silent, outputNames: ["fruit"])
        #expect(decide(fruit: 1, heads: unsaid) == "zoo")
    }

    @Test func `what would print as zero per cent is not listed`() {
        let head = answer("x", ["a": 0.7, "b": 0.0005, "c": 0.000_49, "d": 0])
        #expect(head.listed(10).map(\.label) == ["a", "b"])
        #expect(head.listed(1).map(\.label) == ["a"])
        #expect(answer("x", ["a": 0.0004]).listed(3).isEmpty)
    }

    @Test func `a head that sees only its background says so`() throws {
        let heads = try heads()
        func decide(_ confidence: Float, _ head: String) -> Decision {
            let answers = [answer("presence", ["dog": 1]), answer(head, ["x": confidence])]
            return Decision(answers: answers, heads: heads, requested: head)
        }
        for head in ["cats", "zoo", "fruit", "objects"] {
            let decision = decide(0.0001, head)
            #expect(decision.abstained && decision.isEmpty)
            for language in Language.allCases {
                #expect(Message.text(for: decision, in: language).hasSuffix("."))
            }
        }
        #expect(
            Message.text(for: decide(0.2, "fruit"), in: .english)
                == "I don't think this is a fruit that I know, but if it was it would be:")
        #expect(Message.text(for: decide(0.9, "fruit"), in: .english) == "This fruit looks like:")
    }

    @Test func `a detector looks for a person if the answer is clothing or unsure`() throws {
        let heads = try heads()
        func mayHide(_ label: String, _ confidence: Float, requested: String? = nil, person: Float? = nil) -> Bool {
            let kinds = person.map { answer("kinds", ["dog": 1 - $0, "person": $0]) }
            let answers =
                [answer("presence", ["other": 1]), answer("objects", ["x": 0, label: confidence])]
                + [kinds].compactMap(\.self)
            let decision = Decision(answers: answers, heads: heads, requested: requested)
            return heads.mayHidePerson(decision, answers: answers)
        }
        #expect(mayHide("suit", 0.99) && mayHide("volcano", 0.01))
        #expect(!mayHide("volcano", 0.99) && !mayHide("suit", 0.99, requested: "objects"))
        #expect(mayHide("suit", 0.99, person: 0.01) && mayHide("volcano", 0.01, person: 0.01))
        #expect(!mayHide("suit", 0.99, person: 0.001) && !mayHide("volcano", 0.01, person: 0.001))
    }

    @Test func `a person that the network itself sees is the answer, and no detector is asked`() throws {
        let heads = try heads()
        let from = try #require(heads.answerFrom("kinds"))
        func decide(_ person: Float, requested: String? = nil, other: Float = 1) -> Decision {
            let answers = [
                answer("presence", ["cat": 1 - other, "other": other]),
                answer("kinds", ["person": person, "object": 1 - person]), answer("cats", ["korat": 1]),
                answer("zoo", ["red_panda": 0.99]), answer("objects", ["suit": 0.01]),
            ]
            return Decision(answers: answers, heads: heads, requested: requested)
        }
        let seen = decide(1)
        #expect(seen.head == "objects" && seen.person == 1 && !seen.abstained && !seen.isEmpty)
        #expect(Message.text(for: seen, in: .english) == "This looks like:")
        #expect(!heads.mayHidePerson(seen, answers: [answer("objects", ["suit": 0.01])]))
        #expect(decide(from - 0.01).person == nil && decide(from - 0.01).head == "zoo")
        #expect(decide(1, requested: "zoo").person == nil && decide(1, other: 0.1).person == nil)
    }

    @Test func `a drawing answers before what it shows, unless a head is asked for`() throws {
        let heads = try heads()
        let (from, below) = (try #require(heads.answerFrom("drawings")), heads.abstainBelow("drawings"))
        func decide(_ cat: Float, _ other: Float = 0, requested: String? = nil) -> Decision {
            let answers = [
                answer("presence", ["cat": 0.9, "other": 0.1]), answer("kinds", ["person": 1]),
                answer("cats", ["siamese": 0.99]), answer("objects", ["suit": 0.01]),
                answer("drawings", ["drawing_of_a_cat": cat, "drawing": other]),
            ]
            return Decision(answers: answers, heads: heads, requested: requested)
        }
        let drawn = decide(0.9, 0.1)
        #expect(drawn.head == "drawings" && drawn.presence == "other" && drawn.kind == .art && !drawn.abstained)
        #expect(drawn.person == nil && !heads.mayHidePerson(drawn, answers: []))
        #expect(Message.text(for: drawn, in: .english) == "This looks like:")
        let half = below - 0.01
        let unsure = Decision(
            answers: [
                answer(
                    "drawings",
                    ["drawing_of_a_cat": half, "drawing_of_a_dog": half, "drawing_of_a_fox": half, "drawing": 0.1])
            ], heads: heads, requested: nil)
        #expect(unsure.head == "drawings" && unsure.abstained)
        #expect(
            Message.text(for: unsure, in: .english) == "This is a drawing, but I am not sure of what; it could be:")
        #expect(
            Message.text(for: unsure, in: .finnish)
                == "Tämä on piirros, mutta en ole varma mistä; se voisi olla:")
        #expect(decide(from - 0.01).head == "cats" && decide(from - 0.01).presence == "cat")
        #expect(decide(0.9, 0.1, requested: "cats").head == "cats")
    }

    @Test(arguments: [
        (
            "wild_cat", "This looks like a wild cat, but I am not sure which; it could be:",
            "Tämä näyttää villiltä kissaeläimeltä, mutta en ole varma mikä se on; se voisi olla:"
        ),
        (
            "art", "This looks like a drawing or a statue, but I am not sure which; it could be:",
            "Tämä näyttää piirrokselta tai patsaalta, mutta en ole varma mikä se on; se voisi olla:"
        ),
    ])
    func `an unknown animal is named by its kind`(kind: String, english: String, finnish: String) throws {
        let heads = try heads()
        func decide(_ confidence: Float, requested: String? = nil, breed: Float = 0.9) -> Decision {
            let answers = [
                answer("presence", ["other": 1]), answer("kinds", [kind: confidence]),
                answer("cats", ["bengal": breed]), answer("objects", ["x": 0.01]),
            ]
            return Decision(answers: answers, heads: heads, requested: requested)
        }
        let decision = decide(1)
        #expect(decision.abstained && decision.kind?.rawValue == kind)
        #expect(Message.text(for: decision, in: .english) == english)
        #expect(Message.text(for: decision, in: .finnish) == finnish)
        // The kind is unsure too.
        let guess = decide(heads.abstainBelow("kinds") - 0.01)
        #expect(guess.kind == nil)
        #expect(Message.text(for: guess, in: .english) == "I am not sure, but this could be:")
        // Only a wild relative of a breed is reported this way. Otherwise the cat head's sentences apply.
        let breed = Message.text(for: decide(1, requested: "cats"), in: .english)
        let none = Message.text(for: decide(1, requested: "cats", breed: 0), in: .english)
        if kind == "wild_cat" {
            #expect(
                breed
                    == "This looks like a wild cat, not one of the breeds that I know, but if it was a cat it would be:"
            )
            #expect(none == "This looks like a wild cat, not one of the breeds that I know.")
        } else {
            #expect(breed == "I don't think this is a cat but if it was it would be:")
            #expect(none == "I don't think this is a cat of a breed that I know.")
        }
    }

    @Test func `every kind of the embedded weights has words in both languages`() throws {
        let labels = try #require(try TestModels.manifest().heads["kinds"]?.labels)
        #expect(Set(labels) == Set(Kind.allCases.map(\.rawValue)))
        for language in Language.allCases {
            #expect(Set(Kind.allCases.map { $0.words(in: language) }).count == Kind.allCases.count)
        }
    }

    @Test func `an unsure answer abstains, by the manifest's threshold`() throws {
        let heads = try heads()
        func abstained(_ confidence: Float, cat: Float = 1) -> Bool {
            let answers = [answer("presence", ["cat": cat]), answer("cats", ["siamese": confidence])]
            return Decision(answers: answers, heads: heads, requested: nil).abstained
        }
        let threshold = heads.abstainBelow("cats")
        #expect(threshold > 0 && threshold < 0.9)
        #expect(abstained(threshold - 0.01))
        #expect(!abstained(threshold))
        // If the animal may not be a cat, the answer cannot be a sure Siamese.
        #expect(abstained(threshold + 0.01, cat: 0.9))
    }

    @Test func `every head has a sentence in both languages`() throws {
        for head in try heads().names {
            let answers = [answer("presence", ["other": 1]), answer(head, ["x": 0.99])]
            let decision = Decision(answers: answers, heads: try heads(), requested: head)
            let sentences = Set(Language.allCases.map { Message.text(for: decision, in: $0) })
            #expect(sentences.count == 2)
            #expect(sentences.allSatisfy { $0.hasSuffix(":") })
        }
    }

    /// The repository's manifest with an additional head that sums cock and hen.
    func manifestWithPoultry() throws -> ModelManifest {
        let file = URL(filePath: TestModels.directory + "/menagerie/manifest.json")
        var manifest = try #require(
            try JSONSerialization.jsonObject(with: try Data(contentsOf: file)) as? [String: Any])
        let classes: [[String: Any]] = [["index": 7, "label": "cock"], ["index": 8, "label": "hen"]]
        let chicken: [String: Any] = ["label": "chicken", "status": "approximate", "classes": classes]
        let dodo: [String: Any] = ["label": "dodo", "status": "not_yet", "classes": [String]()]
        manifest["calibration"] = nil
        manifest["derived_heads"] = ["poultry": ["from": "objects", "labels": [chicken, dodo]]]
        return try JSONDecoder().decode(ModelManifest.self, from: try JSONSerialization.data(withJSONObject: manifest))
    }

    /// Zeros for every output except the given ones.
    func output(_ manifest: ModelManifest, _ given: [String: [Float]]) -> ModelOutput {
        ModelOutput(
            values: manifest.outputs.keys.sorted().map { name in
                given[name] ?? [Float](repeating: 0, count: manifest.heads[name]?.labels.count ?? 1280)
            })
    }

    @Test func `derived heads sum the classes of their source`() throws {
        let manifest = try manifestWithPoultry()
        try manifest.validate()
        let heads = HeadSet(manifest: manifest, outputNames: manifest.outputs.keys.sorted())
        var logits = [Float](repeating: -100, count: 1000)
        logits[7] = 0
        logits[8] = 0
        let answers = heads.answers(to: output(manifest, ["objects": logits]))
        let poultry = try #require(answers.first { $0.name == "poultry" })
        #expect(poultry.labels == ["chicken"])
        #expect(poultry.first.map { abs($0.confidence - 1) < 1e-6 } == true)
        #expect(heads.status(of: "chicken", in: "poultry") == .approximate)
    }

    @Test func `a label that nothing supports is never answered`() throws {
        let labels = ModelManifest.Head(
            labels: ["apple", "plum", "none"], background: 2,
            status: ["plum": ModelManifest.Head.LabelStatus(status: .notYet, note: nil)])
        #expect(labels.unanswered == [1, 2])
        let manifest = ModelManifest(
            name: "m", version: "1", file: "m.onnx", sha256: "", task: .classification,
            input: try TestModels.manifest().input, heads: ["fruit": labels])
        let heads = HeadSet(manifest: manifest, outputNames: ["fruit"])
        let answer = try #require(heads.answers(to: ModelOutput(values: [[0, 50, 50]])).first)
        #expect(answer.labels == ["apple"])
        #expect(answer.probabilities.allSatisfy { $0 < 1e-6 })
        #expect(heads.status(of: "plum", in: "fruit") == .notYet)
        #expect(heads.status(of: "apple", in: "fruit") == .recognised)
    }

    @Test func `an approximate species is not claimed for certain`() throws {
        let heads = try heads()
        func message(_ label: String) -> String {
            let answers = [answer("presence", ["other": 1]), answer("zoo", [label: 1])]
            return Message.text(for: Decision(answers: answers, heads: heads, requested: nil), in: .english)
        }
        #expect(message("snow_leopard") == "This animal looks like:")
        #expect(message("amur_tiger") == "This animal looks like this species or a near relative:")
    }

    @Test func `an unsure breed is not claimed for certain`() throws {
        let answers = [answer("presence", ["cat": 1]), answer("cats", ["siamese": 0.01])]
        let decision = Decision(answers: answers, heads: try heads(), requested: nil)
        #expect(Message.text(for: decision, in: .english) == "I am not sure of the breed, but this cat could be:")
    }
}

@Suite("Mixture") struct MixtureTests {
    func shares(_ confidences: Float...) -> [Float] {
        let labels = ["a", "b", "c", "d"]
        return Mixture.shares(of: zip(labels, confidences).map { Prediction(label: $0, confidence: $1) })
            .map(\.confidence)
    }

    @Test func `two or three breeds share what they have together`() {
        let two = shares(0.6, 0.3, 0.1)
        #expect(two.count == 2)
        #expect(abs(two[0] - 2 / 3) < 1e-6)
        let three = shares(0.4, 0.3, 0.2)
        let sum = three.reduce(0, +)
        #expect(three.count == 3)
        #expect(abs(sum - 1) < 1e-6)
    }

    @Test func `one dominant breed is not a mixture, nor are many with small shares`() {
        #expect(shares(0.8, 0.2).isEmpty)
        #expect(shares(0.3, 0.2, 0.15, 0.15).isEmpty)
        #expect(shares(0.7, 0.1, 0.1).isEmpty)
        #expect(shares().isEmpty)
        #expect(shares(0.5).isEmpty)
    }
}
