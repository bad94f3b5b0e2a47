import Base
import HTTP

/// The answers to a form with several photos, in its order. Each photo has its own answer, so that an unreadable one
/// does not spoil the others.
struct PhotoResults<Answer: Encodable & Sendable>: Encodable, Sendable {
    let results: [PhotoResult<Answer>]

    /// - Parameter answer: takes a photo and its index in the form, counted from 0.
    init(of photos: [[UInt8]], _ answer: @escaping @Sendable ([UInt8], Int) async throws -> Answer) async throws {
        results = try await photos.indices.concurrentMap { index in
            do {
                return .answer(try await answer(photos[index], index))
            } catch let error as any ProblemConvertible {
                return .problem(error.problem)
            } catch {
                return .problem(ProblemDetails(.internalServerError))
            }
        }
    }
}

/// The answer for one of several photos, or the problem with it.
enum PhotoResult<Answer: Encodable & Sendable>: Encodable, Sendable {
    case answer(Answer)
    case problem(ProblemDetails)

    private enum CodingKeys: String, CodingKey {
        case type, title, status, detail
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
