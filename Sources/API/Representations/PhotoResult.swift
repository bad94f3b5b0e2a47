import Base
import HTTP

/// The answer for one of several photos, or the problem with it. So an unreadable photo does not spoil the others.
enum PhotoResult<Answer: Encodable & Sendable>: Encodable, Sendable {
    case answer(Answer)
    case problem(ProblemDetails)

    private enum CodingKeys: CodingKey {
        case type, title, status, detail
    }

    init(_ answer: () async throws -> Answer) async {
        do {
            self = .answer(try await answer())
        } catch {
            RequestLog.current?.report(error)
            self = .problem(ProblemDetails(of: error))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .answer(let representation):
            try representation.encode(to: encoder)
            try container.encode(200, forKey: .status)
        case .problem(let problem):
            try container.encode(problem.type, forKey: .type)
            try container.encode(problem.title, forKey: .title)
            try container.encode(problem.status.code, forKey: .status)
            try container.encodeIfPresent(problem.detail, forKey: .detail)
        }
    }
}
