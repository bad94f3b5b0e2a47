import Testing
@testable import Recognition

@Suite("OpenVINO engine") struct EngineTests {
    private static let engine = Result { try TestModels.engine(EngineOptions(lanes: 2)) }

    func answers(_ engine: OpenVINOEngine, _ batch: [[UInt8]], lane: Int = 0) throws -> [ModelOutput] {
        try batch.map { try engine.infer($0, lane: lane) }
    }

    @Test func `knows the network's outputs`() throws {
        let engine = try Self.engine.get()
        let manifest = try TestModels.manifest()
        #expect(engine.inputSize == manifest.input.width * manifest.input.height * 3)
        let sizes = Dictionary(uniqueKeysWithValues: zip(engine.outputNames, engine.outputSizes))
        #expect(
            sizes == [
                "presence": 3, "kinds": 13, "cats": 21, "dogs": 121, "zoo": 60, "objects": 1019, "fruit": 6,
                "drawings": 27, "features": 2560,
            ])
    }

    @Test func `the same photo gives the same bits in every batch and lane`() throws {
        let engine = try Self.engine.get()
        let photos = TestModels.noise(6, size: engine.inputSize)
        let alone = try photos.map { try answers(engine, [$0])[0] }
        #expect(Set(alone.map { $0.values.flatMap(\.self) }).count == photos.count)
        #expect(try answers(engine, photos) == alone)
        #expect(try answers(engine, photos.reversed(), lane: 1) == alone.reversed())
        #expect(try answers(engine, [photos[2], photos[2], photos[0]], lane: 1) == [alone[2], alone[2], alone[0]])
    }

    @Test func `lanes that run at the same time do not disturb each other`() async throws {
        let engine = try TestModels.engine(EngineOptions(lanes: 2))
        let photos = TestModels.noise(8, size: engine.inputSize)
        let alone = try photos.map { try answers(engine, [$0])[0] }
        let line = try ModelLine(engine: engine, policy: QueuePolicy())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<96 {
                group.addTask {
                    let output = try await line.submit(photos[number % 8]).output
                    #expect(output == alone[number % 8])
                }
            }
            try await group.waitForAll()
        }
        line.stop()
    }

    @Test func `a photo of the wrong size is refused`() throws {
        let engine = try Self.engine.get()
        #expect(throws: RecognitionError.self) { try answers(engine, [[1, 2, 3]]) }
    }

    @Test func `weights that are no network are a clear error`() throws {
        let input = try TestModels.manifest().input
        #expect(throws: RecognitionError.self) {
            try OpenVINOEngine(
                weights: .file(path: #filePath), input: input, outputs: ["x"], options: EngineOptions(lanes: 1))
        }
        #expect(throws: RecognitionError.self) {
            try OpenVINOEngine(
                weights: .file(path: TestModels.directory + "/menagerie/menagerie.onnx"), input: input,
                outputs: ["no_such_output"],
                options: EngineOptions(lanes: 1))
        }
    }
}
