import Base
import Encyclopaedia
import HTTP
import Recognition

extension Encyclopaedia {
    /// The article with that id.
    ///
    /// - Throws: `ProblemDetails` (404) that suggests similar ids.
    func article(_ id: String) throws -> Article {
        guard let article = self[id] else {
            throw ProblemDetails.notFound("article", id: id).suggesting(index.near(id))
        }
        return article
    }
}

extension Recogniser {
    /// Runs a body that names a model. If the name is unknown, the problem suggests similar models.
    func suggestingModels<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
        do {
            return try await body()
        } catch RecognitionError.unknownModel(let text) {
            var problem = RecognitionError.unknownModel(text).problem
            let parts = text.split(separator: "@", maxSplits: 1).map(String.init)
            guard let name = parts.first, let names = try? await models.names() else { throw problem }
            // The name is right, but the version is unknown, or no version was deployed.
            if let status = try? await models.status(of: ModelReference(name: name)) {
                if parts.count == 1 {
                    problem.detail = "No version of the model “\(name)” answers for its name: deploy one, or name one."
                }
                throw problem.suggesting(status.versions.suffix(NearNames.count).map { "\(name)@\($0.version)" })
            }
            throw problem.suggesting(NearNames.of(name, among: names))
        }
    }
}
