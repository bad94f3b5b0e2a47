import Foundation
import HTTP

/// Adds the members by which PhotoPrism knows a refusal, whether the check of the host, the check of the key or the
/// endpoint refused. Without them it takes a refusal for a photo that shows nothing.
struct PhotoPrismErrors: Middleware {
    private struct Problem: Decodable {
        let title: String
        let detail: String?
    }

    func after(_ request: Request, _ response: inout Response) {
        guard request.path == PhotoPrismEndpoint.path, response.status.code >= 400,
            case .bytes(let bytes) = response.body,
            let problem = try? JSONDecoder().decode(Problem.self, from: Data(bytes))
        else { return }
        let added = JSONValue.object([
            "code": .integer(response.status.code), "error": .string(problem.detail ?? problem.title),
        ])
        response.body = .bytes(Array(bytes.dropLast()) + [UInt8(ascii: ",")] + added.bytes.dropFirst())
    }
}
