import Base
import Encyclopaedia
import Foundation
import HTTP
import Imaging
import Recognition
import Streams

/// A client's settings for its stream: the query of `GET /live`, as changed by settings messages.
struct LiveSettings: Sendable {
    static let keys = ["model", "detect", "heads", "top", "lang", "crop", "consensus", "laps"]

    var analyser: AnalyserOptions
    /// The number of predictions in an answer.
    let top: Int
    /// The heads shown beside the predictions; empty for all heads of the model, nil for none.
    let heads: [String]?
    let language: Language
    /// The id of the lap timer that gets the frames.
    let laps: ULID?
    /// The values as the client gave them.
    private let texts: [String: String]
    /// The language without a `lang`.
    private let preferred: Language

    init(_ request: Request) throws {
        var reader = QueryReader(request)
        var texts: [String: String] = [:]
        for key in Self.keys { texts[key] = try reader.text(key) }
        try reader.finish()
        var empty = QueryReader(QueryParameters(items: []))
        try self.init(texts, preferred: try empty.language(of: request))
    }

    /// The settings with some values replaced; nil restores the default.
    ///
    /// - Parameter complete: fills in what the settings leave open, and refuses what the models do not have.
    /// - Throws: `ProblemDetails` that names the setting.
    func changed(
        by changes: [String: String?], _ complete: (LiveSettings) async throws -> LiveSettings
    ) async throws -> LiveSettings {
        do {
            return try await complete(
                LiveSettings(
                    texts.merging(changes.compactMapValues(\.self)) { $1 }.filter { changes[$0.key] != .some(nil) },
                    preferred: preferred))
        } catch let error as any ProblemConvertible {
            var problem = error.problem
            problem.detail = problem.detail?.replacing("The query parameter", with: "The setting")
            problem.title = problem.title.replacing("query parameter", with: "setting")
            throw problem
        }
    }

    private init(_ texts: [String: String], preferred: Language) throws {
        (self.texts, self.preferred) = (texts, preferred)
        var reader = QueryReader(QueryParameters(items: texts.map { (name: $0.key, value: $0.value) }))
        let heads = try reader.heads()
        self.heads = heads
        top = try reader.integer("top", in: 1...ClassifyOptions.maximumTop, default: 3)
        language = try reader.choice("lang", of: Language.self) ?? preferred
        laps = try reader.value("laps", "the id of a lap timer", ULID.init)
        analyser = AnalyserOptions(
            // A text that cannot be a model's name is refused before the upgrade.
            model: try reader.text("model").map { try ModelReference($0).description },
            detects: try reader.flag("detect", default: true),
            crop: try reader.choice("crop", of: CropPolicy.self), head: heads?.count == 1 ? heads?.first : nil,
            requiredHeads: heads ?? [],
            consensus: try reader.integer("consensus", in: AnalyserOptions.consensusRange, default: 5))
    }
}
