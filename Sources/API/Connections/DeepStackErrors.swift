import Base
import Foundation
import HTTP
import Security

/// Gives every refusal below `/v1/` the form that DeepStack's clients read, whether the check of the host, the check of
/// the key or an endpoint refused. Frigate reads the body of any answer as JSON. Home Assistant takes any status but
/// 200 for a failure and shows the text.
struct DeepStackErrors: Middleware {
    private struct Problem: Decodable {
        let type: String
        let title: String
        let detail: String?
    }

    private struct Refusal: Encodable {
        let success = false
        let error: String
        let duration = 0
    }

    func after(_ request: Request, _ response: inout Response) {
        guard request.path.hasPrefix("/v1/"), response.status.code >= 400, case .bytes(let bytes) = response.body,
            let problem = try? JSONDecoder().decode(Problem.self, from: Data(bytes))
        else { return }
        let (status, error) = Self.missing(request.path, response.status) ?? Self.refusal(problem, response.status)
        guard let body = try? JSONStreamEncoder().encode(Refusal(error: error)) else { return }
        response.status = status
        // The 401 may have been a 429.
        if status == .unauthorized, !response.headers.contains("WWW-Authenticate") {
            response.headers["WWW-Authenticate"] = ProblemDetails.challenge
        }
        response.headers["Content-Type"] = MediaType.json.description
        response.body = .bytes(body)
    }

    /// - Returns: DeepStack's answer for what was not activated at its start, which is never there here. Home Assistant
    ///   takes a 404 for a wrong address.
    private static func missing(_ path: String, _ status: Status) -> (Status, String)? {
        guard [404, 405].contains(status.code) else { return nil }
        if path.hasPrefix("/v1/vision/face") { return (.forbidden, "Face endpoints not activated") }
        return path.hasPrefix("/v1/vision/scene") ? (.forbidden, "Scene endpoint not activated") : nil
    }

    /// - Returns: DeepStack's status and text. It has no 429, which too many wrong keys cause here.
    private static func refusal(_ problem: Problem, _ status: Status) -> (Status, String) {
        switch status.code {
        case 401, 429: (.unauthorized, "Incorrect api key")
        case 415, 422: (.badRequest, "invalid image file")
        case 500...: (.internalServerError, "failed to process request before timeout")
        default: (status, problem.detail ?? problem.title)
        }
    }
}
