import Foundation
import Base

/// Splits the JSON of an inference request as it arrives. The array `data` of each input goes to a
/// ``JSONElementReader``. The small rest is kept as text, with `null` in the array's place.
struct InferenceEnvelope {
    /// The largest rest without `data`, in bytes.
    static let limit = 256 * 1024
    /// The deepest nesting of arrays and objects.
    private static let maximumDepth = 64

    private struct Level {
        let isObject: Bool
        /// The name of the current member; nil while a name is expected.
        var key: [UInt8]?
    }

    private(set) var json: [UInt8] = []
    private(set) var reader: JSONElementReader?
    private var isInElements = false
    private var isInText = false
    private var isEscaped = false
    /// The name that is being read, and its start in ``json``.
    private var key: [UInt8]?
    private var keyStart = 0
    private var inputStart = 0
    private var levels: [Level] = []

    var heldBytes: Int { json.count + (reader?.heldBytes ?? 0) }

    /// - Parameter makeReader: gets the members of the input that came before its elements, as a JSON object.
    mutating func feed(
        _ bytes: Span<UInt8>, makeReader: ([UInt8]) throws(InferenceError) -> JSONElementReader
    ) throws(InferenceError) {
        var position = 0
        while position < bytes.count {
            if isInElements {
                do throws(JSONElementReader.Failure) {
                    isInElements = try reader?.feed(bytes, from: &position) == false
                } catch {
                    throw Self.error(error)
                }
                continue
            }
            let byte = bytes[position]
            if byte == UInt8(ascii: "["), !isInText, isAtElements {
                guard reader == nil else { throw InferenceError("the model has one input, with one array \"data\"") }
                reader = try makeReader(inputSoFar)
                isInElements = true
                json += Array("null".utf8)
                continue
            }
            guard json.count < Self.limit else {
                throw InferenceError(
                    "beside the array \"data\" of its input the request is to have at most \(Self.limit) bytes")
            }
            try note(byte)
            json.append(byte)
            position += 1
        }
    }

    private static func error(_ failure: JSONElementReader.Failure) -> InferenceError {
        switch failure {
        case .malformed: InferenceError("\"data\" is to be an array of numbers, or of base64 texts for BYTES")
        case .tooMany(let limit): InferenceError("the tensor has more than the \(limit) elements of its shape")
        case .notLevel: InferenceError("UINT8 data are whole numbers from 0 to 255")
        case .notFinite: InferenceError("FP32 data are finite numbers")
        case .notBase64:
            InferenceError("BYTES data in JSON are base64; use binary tensor data for raw bytes")
        }
    }

    /// Whether the expected value is `data` of an element of the request's `inputs`.
    private var isAtElements: Bool {
        levels.count == 3 && levels[2].key == Array("data".utf8) && !levels[1].isObject
            && levels[0].key == Array("inputs".utf8)
    }

    /// The members of the input that came before `data`, as an object.
    private var inputSoFar: [UInt8] {
        let members = json[inputStart..<keyStart].reversed().drop { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "{") }
        return Array(members.drop { $0 == UInt8(ascii: ",") }.reversed()) + [UInt8(ascii: "}")]
    }

    /// Follows a byte's position in the document. Syntax errors are found when the document is decoded.
    private mutating func note(_ byte: UInt8) throws(InferenceError) {
        if isInText {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInText = false
                if let key, !levels.isEmpty { levels[levels.count - 1].key = key }
                key = nil
            } else {
                // All names that matter are short.
                if (key?.count ?? .max) < 16 { key?.append(byte) }
            }
            return
        }
        switch byte {
        case UInt8(ascii: "\""):
            isInText = true
            if let level = levels.last, level.isObject, level.key == nil {
                key = []
                if levels.count == 3 { keyStart = json.count }
            }
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard levels.count < Self.maximumDepth else {
                throw InferenceError("the request is nested too deeply")
            }
            levels.append(Level(isObject: byte == UInt8(ascii: "{")))
            if levels.count == 3 { inputStart = json.count }
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            levels.removeLast(levels.isEmpty ? 0 : 1)
        case UInt8(ascii: ","):
            if let level = levels.last, level.isObject { levels[levels.count - 1].key = nil }
        default: break
        }
    }
}
