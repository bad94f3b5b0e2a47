import Testing
@testable import Recognition

extension CascadeTests {
    @Suite("Specialists") struct Specialists {
        static let cascade = """
            {"file": "two.onnx", "sha256": "", "asked_below": {"presence": 0.9, "cats": 0.8},
            "weights": {"presence": [0.5, 1], "cats": [1, 2]}, "specialists": {"cats": {"file": "cats.onnx",
            "sha256": "", "asked_below": 0.99, "sure_from": 0.95, "first_weights": [1, 1], "weights": [0.5, 2]}}}
            """

        /// A picture has two pixels. Its mirror image begins with 5.
        static func picture(_ animal: UInt8, _ breed: UInt8) -> [UInt8] { [animal, breed, 0, 5, 0, 0] }

        static func engine(second: Speaking = CascadeTests.second(), _ specialist: Speaking) throws -> CascadeEngine {
            let manifest = try CascadeTests.manifest(cascade, size: "1, 2")
            return try CascadeEngine(
                first: CascadeTests.first(), second: second, specialists: ["cats": specialist],
                manifest: manifest, cascade: try #require(manifest.cascade))
        }

        @Test func `a specialist is asked where presence is sure and the breed is not`() throws {
            let (second, specialist) = (CascadeTests.second(), Speaking([("cats", 2)]) { _ in [[2, 0]] })
            let engine = try Self.engine(second: second, specialist)
            // Three pictures: sure of both; unsure of the breed; a dog, after the second network.
            let answers = try CascadeTests.answers(
                engine, [Self.picture(9, 9), Self.picture(9, 2), Self.picture(1, 0)])
            #expect(specialist.seen == [9])
            #expect(second.seen == [1])
            #expect(answers.map { $0.secondStage != nil } == [false, true, true])
            // 1·[2, 0] + 1·[2, 0]. Presence stays.
            #expect(answers[1].values == [[4, 0], [7], [9, 0, 0]])
        }

        @Test func `an unsure specialist looks at the mirror image, and the second network at the photo`() throws {
            let second = CascadeTests.second()
            let specialist = Speaking([("cats", 2)]) { [[0, $0[0] == 5 ? 1 : 0]] }
            let engine = try Self.engine(second: second, specialist)
            let answers = try CascadeTests.answers(engine, [Self.picture(200, 2)])
            #expect(specialist.seen == [200, 5])
            #expect(second.seen == [200])
            #expect(answers[0].secondStage != nil)
            // 0.5 times the networks' [2, 0] + 2·[0, 3], and 2 times the mean [0, 0.5] of the specialist's looks.
            #expect(answers[0].values == [[1, 4], [7], [100, 4, 0]])
        }

        @Test func `a specialist is asked after the second network if presence was unsure`() throws {
            let second = Speaking([("cats", 2), ("presence", 3)]) { _ in [[0, 0], [9, 0, 0]] }
            let specialist = Speaking([("cats", 2)]) { _ in [[3, 0]] }
            let engine = try Self.engine(second: second, specialist)
            let answers = try CascadeTests.answers(engine, [Self.picture(1, 4), Self.picture(1, 9)])
            #expect(second.seen == [1, 1])
            #expect(specialist.seen == [1, 5])
            #expect(answers.map(\.values[0]) == [[8, 0], [9, 0]])
        }

        @Test func `the mirror image of a tensor changes its places, not its planes`() {
            func mirrored(_ layout: String) -> [Float] {
                let input = ModelManifest.Input(name: nil, layout: layout, size: [2, 2], channels: .rgb)
                let bytes = (0..<12).flatMap { withUnsafeBytes(of: Float($0)) { [UInt8]($0) } }
                let result = InputForm.tensor.mirrored(bytes, input)
                return result.withUnsafeBytes { [Float]($0.bindMemory(to: Float.self)) }
            }
            #expect(mirrored("NCHW") == [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10])
            #expect(mirrored("NHWC") == [3, 4, 5, 0, 1, 2, 9, 10, 11, 6, 7, 8])
        }

        @Test func `a specialist with other classes is refused`() {
            #expect(throws: RecognitionError.engine("the specialist for \"cats\" does not fit one.onnx")) {
                try Self.engine(Speaking([("cats", 3)]) { _ in [] })
            }
        }
    }
}
