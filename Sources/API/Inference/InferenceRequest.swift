import Foundation
import HTTP

/// What the body of `POST /v2/models/{m}/infer` says beside the elements of its tensors (Open Inference Protocol v2, with the
/// binary tensor data extension).
struct InferenceRequest: Decodable, Sendable {
    struct Parameters: Decodable, Sendable {
        /// Bytes of the tensor that follow the JSON.
        let binaryDataSize: Int?
        /// Of an output: whether it is wanted as bytes.
        let binaryData: Bool?
        /// Of the request: whether every output is wanted as bytes.
        let binaryDataOutput: Bool?
        /// Of an output: so many likeliest classes instead of the tensor.
        let classification: Int?

        private enum CodingKeys: String, CodingKey {
            case classification
            case binaryDataSize = "binary_data_size"
            case binaryData = "binary_data"
            case binaryDataOutput = "binary_data_output"
        }
    }

    struct Input: Decodable, Sendable {
        let name: String
        let shape: [Int]
        let datatype: String
        let parameters: Parameters?
    }

    struct Output: Decodable, Sendable {
        let name: String
        let parameters: Parameters?
    }

    let id: String?
    let parameters: Parameters?
    let inputs: [Input]
    let outputs: [Output]?

    /// - Parameter json: the request without the elements of its tensors, which ``InferenceReader`` takes out.
    /// - Throws: ``InferenceError``.
    init(parsing json: [UInt8]) throws(InferenceError) {
        do {
            self = try JSONDecoder().decode(InferenceRequest.self, from: Data(json))
        } catch DecodingError.keyNotFound(let key, _) {
            throw InferenceError(.badRequest, "the request has no \"\(key.stringValue)\"")
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
            throw InferenceError(.badRequest, "\"\(Self.path(context.codingPath))\" is not of the right type")
        } catch {
            throw InferenceError(.badRequest, "the request is no JSON")
        }
    }

    /// Such as `inputs[0].shape`.
    private static func path(_ keys: [any CodingKey]) -> String {
        keys.reduce(into: "") { path, key in
            path += key.intValue.map { "[\($0)]" } ?? (path.isEmpty ? "" : ".") + key.stringValue
        }
    }
}
