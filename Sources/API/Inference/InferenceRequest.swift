import Foundation
import HTTP
import HTTPWire

/// The body of `POST /v2/models/{m}/infer` (Open Inference Protocol v2, with the binary tensor data extension).
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
        let data: TensorData?
    }

    struct Output: Decodable, Sendable {
        let name: String
        let parameters: Parameters?
    }

    let id: String?
    let parameters: Parameters?
    let inputs: [Input]
    let outputs: [Output]?
    /// What follows the JSON, input after input.
    private(set) var binary: ArraySlice<UInt8> = []

    private enum CodingKeys: String, CodingKey {
        case id, parameters, inputs, outputs
    }

    /// - Parameter header: bytes of JSON at the beginning of the body (`Inference-Header-Content-Length`); nil: all.
    /// - Throws: ``InferenceError``.
    init(parsing body: [UInt8], header: Int?) throws {
        let length = header ?? body.count
        guard (0...body.count).contains(length) else {
            throw InferenceError(
                .badRequest, "Inference-Header-Content-Length is \(length), the body has \(body.count) bytes")
        }
        do {
            self = try JSONDecoder().decode(InferenceRequest.self, from: Data(body[..<length]))
        } catch DecodingError.keyNotFound(let key, _) {
            throw InferenceError(.badRequest, "the request has no \"\(key.stringValue)\"")
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
            throw InferenceError(.badRequest, "\"\(Self.path(context.codingPath))\" is not of the right type")
        } catch {
            throw InferenceError(.badRequest, "the request is no JSON")
        }
        binary = body[length...]
    }

    /// Such as `inputs[0].shape`.
    private static func path(_ keys: [any CodingKey]) -> String {
        keys.reduce(into: "") { path, key in
            path += key.intValue.map { "[\($0)]" } ?? (path.isEmpty ? "" : ".") + key.stringValue
        }
    }
}

/// Elements of a tensor in JSON, row-major, nested or flat.
enum TensorData: Decodable, Sendable {
    case numbers([Double])
    case texts([String])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let numbers = try? container.decode([Double].self) {
            self = .numbers(numbers)
        } else if let texts = try? container.decode([String].self) {
            self = .texts(texts)
        } else {
            var numbers: [Double] = []
            var texts: [String] = []
            for nested in try container.decode([TensorData].self) {
                switch nested {
                case .numbers(let values): numbers += values
                case .texts(let values): texts += values
                }
            }
            guard numbers.isEmpty || texts.isEmpty else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "numbers and texts together")
            }
            self = texts.isEmpty ? .numbers(numbers) : .texts(texts)
        }
    }
}
