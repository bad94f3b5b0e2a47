import Base
import Foundation
import Recognition
import TestSupport
import Testing
@testable import Training

@Suite("Evaluator", .timeLimit(.minutes(2))) struct EvaluatorTests {
    static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized

    func evaluate(_ rows: String) async throws -> Evaluator.Result {
        var options = RecogniserOptions(modelsDirectory: Self.package.appending(path: "Models").path, cores: 1)
        options.engine.cacheDirectory = CompiledModels.folder
        let recogniser = try Recogniser(options: options)
        defer { recogniser.stop() }
        let list = try PhotoList(
            text: "path,class,group,presence\n" + rows, name: "list", folder: Self.package.appending(path: "Tests"))
        var progress: [Int] = []
        let result = try await Evaluator(recogniser: recogniser, concurrency: 3).evaluate(list) { progress.append($0) }
        #expect(progress.last == list.photos.count && progress == progress.sorted())
        return result
    }

    @Test func `photos are answered, and those that cannot be read are listed`() async throws {
        let result = try await evaluate(
            """
            Photos/cat.jpg,pizza,object,cat
            Photos/missing.jpg,siamese,cat,
            TrainingTests/Evaluation/EvaluatorTests.swift,siamese,cat,
            Photos/cat.jpg,pizza,object,dog
            """)
        let report = result.report
        #expect(report.model == "menagerie" && report.photos == 4)
        #expect(report.failures.map(\.path) == ["Photos/missing.jpg", "TrainingTests/Evaluation/EvaluatorTests.swift"])
        // The same photo has two true labels, so only one presence answer can be right. The objects head never calls it
        // a pizza.
        let presence = try #require(report.heads.first { $0.name == "presence" }).measures
        #expect(presence.photos == 2 && presence.classes == 2 && presence.top1 <= 0.5)
        let matrix = try #require(result.confusions["presence"])
        #expect((0..<3).reduce(0) { $0 + matrix.photos(of: $1) } == 2)
        #expect(report.timing.decodeMilliseconds > 0 && report.timing.inferenceMilliseconds > 0)
        #expect(report.markdown.contains("| presence | 2 | 2 |"))
        let copy = try JSONDecoder().decode(EvaluationReport.self, from: JSONEncoder().encode(report))
        #expect(copy == report)
    }

    @Test func `a list that measures nothing is an error with a reason`() async throws {
        let unreadable = await #expect(throws: EvaluationError.self) { try await evaluate("missing.jpg,siamese,cat,") }
        #expect(unreadable?.description.contains("missing.jpg") == true)
        let unknown = await #expect(throws: EvaluationError.self) { try await evaluate("Photos/cat.jpg,x,nothing,") }
        #expect(unknown?.description == "No photo has a class that the model \"menagerie\" knows.")
    }
}
