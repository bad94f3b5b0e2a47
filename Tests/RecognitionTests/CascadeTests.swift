import Base
import Foundation
import TestSupport
import Testing
@testable import Recognition

/// A cascade of two networks: when the second runs, the combined result, and the rules for the manifest.
@Suite("Cascade", .slow, .timeLimit(.minutes(3))) struct CascadeTests {
    /// An engine with fixed outputs. It counts its pictures.
    final class Speaking: InferenceEngine, Sendable {
        let outputNames: [String]
        let outputSizes: [Int]
        let inputSize = 2
        let lanes = 1
        private let answer: @Sendable ([UInt8]) throws(RecognitionError) -> ModelOutput
        private let record: Locked<[UInt8]> = Locked([])

        /// The first bytes of its pictures.
        var seen: [UInt8] { record.withLock { $0 } }

        init(_ outputs: [(String, Int)], _ answer: @escaping @Sendable ([UInt8]) -> [[Float]]) {
            outputNames = outputs.map(\.0)
            outputSizes = outputs.map(\.1)
            self.answer = { ModelOutput(values: answer($0)) }
        }

        init(failing outputs: [(String, Int)]) {
            outputNames = outputs.map(\.0)
            outputSizes = outputs.map(\.1)
            answer = { _ throws(RecognitionError) in throw .engine("broken") }
        }

        func infer(_ photo: [UInt8], lane: Int) throws(RecognitionError) -> ModelOutput {
            record.withLock { $0.append(photo[0]) }
            return try answer(photo)
        }
    }

    static let outputs = [("cats", 2), ("features", 1), ("presence", 3)]

    /// Presence has the order cat, dog, other. The second network has no features.
    static func manifest(_ cascade: String, size: String = "8, 8") throws -> ModelManifest {
        let text = """
            {"name": "pair", "version": "1", "file": "one.onnx", "sha256": "", "input": {"name": "image",
            "layout": "NCHW", "size": [\(size)], "channels": "RGB", "scale": "x"}, "outputs": {"features": "one"},
            "heads": {"presence": ["cat", "dog", "other"], "cats": ["siamese", "korat"]}, "cascade": \(cascade)}
            """
        return try JSONDecoder().decode(ModelManifest.self, from: Data(text.utf8))
    }

    static let cascade = """
        {"file": "two.onnx", "sha256": "", "asked_below": {"presence": 0.9, "cats": 0.8},
        "weights": {"presence": [0.5, 1], "cats": [1, 2]}}
        """

    static func specialist(
        _ head: String, file: String = "b.onnx", below: Int = 1, from: Int = 1, first: String = "1, 1",
        weights: String = "1, 1"
    ) -> String {
        #"{"file": "t.onnx", "sha256": "", "asked_below": {}, "weights": {"cats": [1, 1]}, "specialists": "#
            + #"{"\#(head)": {"sha256": "", "file": "\#(file)", "asked_below": \#(below), "sure_from": \#(from), "#
            + #""first_weights": [\#(first)], "weights": [\#(weights)]}}}"#
    }

    /// The first byte of the picture is the first network's logit for the cat. The second byte is its logit for the
    /// breed.
    static func first() -> Speaking {
        Speaking(outputs) { [[Float($0[1]), 0], [7], [Float($0[0]), 0, 0]] }
    }

    static func second() -> Speaking {
        Speaking([("cats", 2), ("presence", 3)]) { _ in [[0, 3], [0, 4, 0]] }
    }

    static func answers(_ engine: CascadeEngine, _ batch: [[UInt8]]) throws -> [ModelOutput] {
        try batch.map { try engine.infer($0, lane: 0) }
    }

    @Test("what only wants the first network's features leaves the second alone")
    func firstStage() throws {
        let manifest = try Self.manifest(Self.cascade)
        let (first, second) = (Self.first(), Self.second())
        let engine = try CascadeEngine(
            first: first, second: second, manifest: manifest, cascade: try #require(manifest.cascade))
        // The first network is so unsure that a classification would run the second one.
        #expect(try engine.inferFirstStage([0, 0], lane: 0) == first.infer([0, 0], lane: 0))
        #expect(second.seen.isEmpty)
        #expect(try engine.infer([0, 0], lane: 0).values[1] == [7])
        #expect(second.seen.count == 1)
    }

    @Test func `the second is asked where presence or the answering head is unsure, and nowhere else`() throws {
        let manifest = try Self.manifest(Self.cascade)
        let (first, second) = (Self.first(), Self.second())
        let engine = try CascadeEngine(
            first: first, second: second, manifest: manifest, cascade: try #require(manifest.cascade))
        let answers = try Self.answers(engine, [[9, 9], [1, 9], [9, 1], [8, 8]])
        #expect(first.seen == [9, 1, 9, 8])
        #expect(second.seen == [1, 9])
        #expect(answers.map { $0.secondStage != nil } == [false, true, true, false])
        #expect(answers[0].values == [[9, 0], [7], [9, 0, 0]])
        // The sums are 1·[9, 0] + 2·[0, 3] and 0.5·[1, 0, 0] + 1·[0, 4, 0]. The second network has no other outputs.
        #expect(answers[1].values == [[9, 6], [7], [0.5, 4, 0]])
        #expect(answers[2].values == [[1, 6], [7], [4.5, 4, 0]])
    }

    @Test func `a failure of either is the photo's own`() throws {
        let manifest = try Self.manifest(Self.cascade)
        let cascade = try #require(manifest.cascade)
        let broken = try CascadeEngine(
            first: Self.first(), second: Speaking(failing: [("cats", 2), ("presence", 3)]), manifest: manifest,
            cascade: cascade)
        #expect(try Self.answers(broken, [[9, 9]]).count == 1)
        #expect(throws: RecognitionError.engine("broken")) { try Self.answers(broken, [[1, 1]]) }
        let mute = try CascadeEngine(
            first: Speaking(failing: Self.outputs), second: Self.second(), manifest: manifest, cascade: cascade)
        #expect(throws: RecognitionError.engine("broken")) { try Self.answers(mute, [[9, 9]]) }
    }

    @Test func `networks that do not fit together are refused`() throws {
        let manifest = try Self.manifest(Self.cascade)
        let cascade = try #require(manifest.cascade)
        func reason(_ second: Speaking) -> String {
            do throws(RecognitionError) {
                _ = try CascadeEngine(first: Self.first(), second: second, manifest: manifest, cascade: cascade)
                return ""
            } catch {
                return "\(error)"
            }
        }
        #expect(reason(Speaking([("presence", 3)]) { _ in [] }).contains("\"cats\""))
        #expect(reason(Speaking([("cats", 3), ("presence", 3)]) { _ in [] }).contains("3 in two.onnx"))
        #expect(reason(Self.second()).isEmpty)
    }

    @Test(arguments: [
        (#"{"file": "../two.onnx", "sha256": "", "asked_below": {}, "weights": {"cats": [1, 1]}}"#, "cascade.file"),
        (#"{"file": "t.onnx", "sha256": "", "asked_below": {"birds": 1}, "weights": {"cats": [1, 1]}}"#, "birds"),
        (#"{"file": "t.onnx", "sha256": "", "asked_below": {"cats": 2}, "weights": {"cats": [1, 1]}}"#, "0…1"),
        (#"{"file": "t.onnx", "sha256": "", "asked_below": {}, "weights": {}}"#, "weights"),
        (#"{"file": "t.onnx", "sha256": "", "asked_below": {}, "weights": {"birds": [1, 1]}}"#, "birds"),
        (#"{"file": "t.onnx", "sha256": "", "asked_below": {}, "weights": {"cats": [1]}}"#, "two numbers"),
        (specialist("birds"), "specialists.birds"),
        (specialist("cats", file: "/b.onnx"), "specialists.cats.file"),
        (specialist("cats", below: 2), "specialists.cats.asked_below"),
        (specialist("cats", from: -1), "specialists.cats.sure_from"),
        (specialist("cats", weights: "1"), "specialists.cats.weights"),
        (specialist("cats", first: "1, 2, 3"), "specialists.cats.first_weights"),
    ])
    func `a manifest that cannot work says which key`(cascade: String, key: String) throws {
        let manifest = try Self.manifest(cascade)
        #expect {
            try manifest.validate()
        } throws: {
            "\($0)".contains(key)
        }
        #expect(throws: Never.self) { try Self.manifest(Self.cascade).validate() }
    }

    @Test(.enabled(if: TestModels.photosAreThere, TestModels.hint))
    func `the embedded weights work the same for every request, and the time and count of both networks are reported`()
        async throws
    {
        let observer = SecondStageCounter()
        let recogniser = try TestModels.recogniser(observer: observer)
        defer { recogniser.stop() }
        let photos = try TestModels.photos(
            group: "cat", classes: ["siamese", "persian", "korat", "bengal"], perClass: 3)
        var asked = 0
        for photo in photos {
            let bytes = try photo.bytes()
            let plain = try await recogniser.classify(bytes)
            let again = try await recogniser.classify(bytes, options: ClassificationOptions(head: "zoo"))
            let isAsked = plain.timing.secondStage != nil
            #expect(isAsked == (again.timing.secondStage != nil))
            #expect(plain.heads == again.heads)
            #expect(plain.features?.count == 2560)
            if let second = plain.timing.secondStage {
                #expect(second > 0 && second <= plain.timing.inference)
                asked += 2
            }
        }
        #expect(observer.count == asked)
        #expect(asked < photos.count * 2)
    }

    /// Counts the photos for which the second network ran.
    private final class SecondStageCounter: RecognitionObserver, Sendable {
        private let asked = Locked(0)
        var count: Int { asked.withLock { $0 } }
        func askedSecondStage(seconds: Double) { asked.withLock { $0 += 1 } }
    }

    @Suite("A further network, when it is first needed") struct Deferred {
        static func engine(
            memory: Locked<[Int]> = Locked([]), _ make: @escaping @Sendable () throws(RecognitionError) -> Speaking
        ) -> DeferredEngine {
            DeferredEngine(
                like: CascadeTests.first(), outputs: ["cats", "presence"],
                residentMemory: { memory.withLock { $0.isEmpty ? 0 : $0.removeFirst() } }, make: make)
        }

        @Test func `it is made once, and its memory counts from then on`() throws {
            let made = Locked(0)
            let second = Self.engine(memory: Locked([100, 130])) { () throws(RecognitionError) in
                made.withLock { $0 += 1 }
                return CascadeTests.second()
            }
            let manifest = try CascadeTests.manifest(CascadeTests.cascade)
            let engine = try CascadeEngine(
                first: CascadeTests.first(), second: second, manifest: manifest,
                cascade: try #require(manifest.cascade))
            #expect(try CascadeTests.answers(engine, [[9, 9]])[0].secondStage == nil)
            #expect(made.withLock { $0 } == 0)
            #expect(engine.deferredMemory == 0)
            #expect(try CascadeTests.answers(engine, [[1, 9], [9, 1]]).map(\.values[1]) == [[7], [7]])
            #expect(made.withLock { $0 } == 1)
            #expect(engine.deferredMemory == 30)
        }

        @Test func `after a failure the next photo tries again`() throws {
            let fails = Locked(true)
            let engine = Self.engine { () throws(RecognitionError) in
                if fails.withLock({ $0 }) { throw .engine("no memory") }
                return CascadeTests.second()
            }
            #expect(throws: RecognitionError.engine("no memory")) { try engine.infer([1, 1], lane: 0) }
            fails.withLock { $0 = false }
            #expect(try engine.infer([1, 1], lane: 0).values == [[0, 3], [0, 4, 0]])
        }

        @Test func `a network of other sizes is refused`() {
            let engine = Self.engine { () throws(RecognitionError) in
                Speaking([("cats", 3), ("presence", 3)]) { _ in [] }
            }
            let reason = #"outputs ["cats", "presence"] have [3, 3] values instead of [2, 3]"#
            #expect(throws: RecognitionError.engine(reason)) { try engine.prepare() }
        }
    }

    @Test(.enabled(if: TestModels.photosAreThere, TestModels.hint))
    func `our further networks are loaded by the first photo that needs them, and a replaced file is refused`()
        async throws
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "models-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.copyItem(at: URL(filePath: TestModels.directory), to: folder)
        let recogniser = try TestModels.recogniser(directory: folder.path)
        defer { recogniser.stop() }
        let model = try recogniser.models.model("menagerie")
        let photos = try TestModels.photos(group: "cat", classes: ["siamese", "persian", "korat"], perClass: 4)
        let second = folder.appending(path: "menagerie/\(try #require(model.manifest.cascade).file)")
        let weights = try Data(contentsOf: second)
        try (weights + [0]).write(to: second)
        var refused = 0
        for photo in photos {
            do {
                _ = try await recogniser.classify(photo.bytes())
            } catch RecognitionError.brokenModel(_, let fault, _) {
                #expect(fault == .digest)
                refused += 1
            }
        }
        #expect(refused > 0 && refused < photos.count)
        try weights.write(to: second)
        for photo in photos { _ = try await recogniser.classify(photo.bytes()) }
    }

    @Test func `a swap brings the whole cascade`() throws {
        let recogniser = try TestModels.recogniser()
        defer { recogniser.stop() }
        let model = try recogniser.models.model("menagerie")
        let again = try recogniser.models.load("menagerie")
        #expect(again !== model && again.manifest.cascade == model.manifest.cascade)
        #expect(again.manifest.version == model.manifest.version)
    }
}
