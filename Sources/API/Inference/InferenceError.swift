import HTTP
import Recognition

/// An error in the form of the Open Inference Protocol: a status and `{"error": "…"}`.
struct InferenceError: Error {
    let status: Status
    let message: String
    var headers: HeaderFields = [:]

    init(_ message: String, status: Status = .badRequest) {
        self.status = status
        self.message = message
    }

    /// Any error of the service in the protocol's form.
    init(_ error: any Error) {
        switch error {
        case let error as InferenceError:
            self = error
        case let error as any ProblemConvertible:
            let problem = error.problem
            self.init(problem.detail ?? problem.title, status: problem.status)
            headers = problem.headers
        default:
            self.init("the inference failed", status: .internalServerError)
        }
    }

    var response: Response {
        var response = Response.bytes(JSONValue.object(["error": .string(message)]).bytes, type: .json, status: status)
        for field in ["Retry-After", "Accept", "Accept-Encoding"] {
            if let value = headers[field] { response.headers[field] = value }
        }
        return response
    }
}
