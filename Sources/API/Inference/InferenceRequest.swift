import Foundation
import HTTP

/// The body of `POST /v2/models/{m}/infer` without the elements of its tensors (Open Inference Protocol v2 with the
/// binary tensor data extension).
struct InferenceRequest: Decodable, Sendable {
    struct Parameters: Decodable, Sendable {
        /// The number of the tensor's bytes after the JSON.
        let binaryDataSize: Int?
        /// Whether this output is wanted as bytes.
        let binaryData: Bool?
        /// Whether all outputs of the request are wanted as bytes.
        let binaryDataOutput: Bool?
        /// The number of likeliest classes that are wanted in place of this output's tensor.
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

    /// - Parameter json: the request without its tensors' elements, which ``InferenceReader`` removes.
    /// - Throws: ``InferenceError``.
    init(parsing json: [UInt8]) throws(InferenceError) {
        do {
            self = try JSONDecoder().decode(InferenceRequest.self, from: Data(json))
        } catch DecodingError.keyNotFound(let key, _) {
            throw InferenceError("the request has no \"\(key.stringValue)\"")
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
            let path = Self.path(context.codingPath)
            if path.isEmpty { throw InferenceError("the request is to be a JSON object with \"inputs\"") }
            throw InferenceError("\"\(path)\" is not of the right type")
        } catch {
            throw InferenceError("the request is not JSON, or a number in it is too large or not whole")
        }
        // Each mention of an output would repeat all its values in the answer.
        var names: Set<String> = []
        if let twice = outputs?.first(where: { !names.insert($0.name).inserted }) {
            throw InferenceError("the output \"\(twice.name.prefix(80))\" is asked for twice")
        }
    }

    /// A path such as `inputs[0].shape`.
    private static func path(_ keys: [any CodingKey]) -> String {
        keys.reduce(into: "") { path, key in
            path += key.intValue.map { "[\($0)]" } ?? (path.isEmpty ? "" : ".") + key.stringValue
        }
    }
}
