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
        #expect(head.sorted.map(\.label) == ["b", "c", "a", "d"])
        #expect(head.first?.label == "b")
        #expect(head.top(99).count == 4)
        #expect(head.top(0).isEmpty)
        #expect(head.top(-1).isEmpty)
    }

    @Test func `a few of many are those that sorting gives`() {
        var random = SystemRandomNumberGenerator()
        for count in [0, 1, 3, 12] {
            // A dozen different values among 200, so that many are equal.
            let probabilities = (0..<200).map { _ in Float(Int.random(in: 0..<12, using: &random)) / 12 }
            let head = HeadAnswer(name: "x", labels: (0..<200).map { "\($0)" }, probabilities: probabilities)
            #expect(head.top(count) == Array(head.sorted.prefix(count)))
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

    @Test func `an unsure answer abstains, by the manifest's threshold`() throws {
        let heads = try heads()
        func abstained(_ confidence: Float) -> Bool {
            let answers = [answer("presence", ["cat": 1]), answer("cats", ["siamese": confidence])]
            return Decision(answers: answers, heads: heads, requested: nil).abstained
        }
        #expect(heads.abstainBelow("cats") > 0)
        #expect(abstained(heads.abstainBelow("cats") - 0.01))
        #expect(!abstained(heads.abstainBelow("cats")))
    }

    @Test func `every head has a sentence in both languages`() throws {
        for head in try heads().names {
            let answers = [answer("presence", ["other": 1]), answer(head, ["x": 0.99])]
            let decision = Decision(answers: answers, heads: try heads(), requested: head)
            let sentences = Set(MessageLanguage.allCases.map { Message.text(for: decision, in: $0) })
            #expect(sentences.count == 2)
            #expect(sentences.allSatisfy { $0.hasSuffix(":") })
        }
    }

    @Test func `derived heads sum the classes of their source`() throws {
        let manifest = try TestModels.manifest()
        let heads = try heads()
        let names = manifest.outputs.keys.sorted()
        var logits = [Float](repeating: -100, count: 1000)
        // Cock and hen share the chicken.
        logits[7] = 0
        logits[8] = 0
        let values = names.map { name in
            name == "objects" ? logits : [Float](repeating: 0, count: manifest.heads[name]?.labels.count ?? 1280)
        }
        let zoo = try #require(heads.answers(to: ModelOutput(values: values)).first { $0.name == "zoo" })
        #expect(zoo.first?.label == "domestic_chicken")
        #expect(zoo.first.map { abs($0.confidence - 1) < 1e-6 } == true)
    }
}
