import Foundation
import HTTP
import HTTPWire
import Recognition
import Scans

/// From the request's tensor to pictures.
///
/// A model takes one tensor: `UINT8`, N×height×width×3, RGB, whatever its own layout, element type and scale are, since
/// these are part of the graph. Photos as files come as `BYTES` of the shape N or N×1. A network of floating point also
/// takes `FP32`: its own input, in its layout and scaled as it wants it.
struct InferencePictures {
    /// Pictures that one request may hold.
    static let maximumCount = 256

    let pictures: [Recogniser.Picture]

    /// - Throws: ``InferenceError``.
    init(_ request: InferenceRequest, for model: LoadedModel) throws {
        let expected = model.manifest.input
        let name = expected.tensorName
        guard request.inputs.count == 1, let input = request.inputs.first else {
            throw InferenceError(.badRequest, "the model has one input, \"\(name)\", not \(request.inputs.count)")
        }
        guard input.name == name else {
            throw InferenceError(.badRequest, "there is no input \"\(input.name)\"; the model's is \"\(name)\"")
        }
        guard let count = input.shape.first, (1...Self.maximumCount).contains(count) else {
            throw InferenceError(.badRequest, "the first dimension is to be 1 to \(Self.maximumCount) pictures")
        }
        let binary = try Self.binary(of: input, in: request)
        switch input.datatype {
        case "UINT8":
            let shape = [expected.height, expected.width, 3]
            guard input.shape.dropFirst().elementsEqual(shape) else {
                throw InferenceError(.badRequest, "the shape is to be [-1, \(expected.height), \(expected.width), 3]")
            }
            let size = shape.reduce(1, *)
            let bytes = try binary.map(Array.init) ?? Self.levels(input.data)
            guard bytes.count == count * size else {
                throw InferenceError(.badRequest, "the tensor has \(bytes.count) elements, its shape \(count * size)")
            }
            pictures = (0..<count).map { .levels(Array(bytes[$0 * size..<($0 + 1) * size])) }
        case "BYTES":
            guard input.shape.dropFirst().allSatisfy({ $0 == 1 }) else {
                throw InferenceError(.badRequest, "photos are of the shape [-1] or [-1, 1]")
            }
            let photos = try binary.map(Self.elements) ?? Self.photos(input.data)
            guard photos.count == count else {
                throw InferenceError(.badRequest, "the tensor has \(photos.count) elements, its shape \(count)")
            }
            pictures = photos.map { .photo($0) }
        case "FP32" where model.takesTensors:
            let shape = expected.tensorShape
            guard input.shape.dropFirst().elementsEqual(shape) else {
                let sides = shape.map(String.init).joined(separator: ", ")
                throw InferenceError(.badRequest, "the shape is to be [-1, \(sides)]")
            }
            let size = shape.reduce(4, *)
            let bytes = try binary.map(Array.init) ?? Self.floats(input.data)
            guard bytes.count == count * size else {
                throw InferenceError(
                    .badRequest, "the tensor has \(bytes.count / 4) elements, its shape \(count * size / 4)")
            }
            guard Self.areFinite(bytes) else { throw InferenceError(.badRequest, "FP32 data are finite numbers") }
            pictures = (0..<count).map { .tensor(Array(bytes[$0 * size..<($0 + 1) * size])) }
        default:
            let right = model.takesTensors ? "UINT8 (levels), FP32 (the network's input)" : "UINT8 (levels)"
            throw InferenceError(
                .badRequest, "the datatype is \(input.datatype), but has to be \(right) or BYTES (photo files)")
        }
    }

    /// The tensor's bytes behind the JSON; nil where it is in the JSON.
    private static func binary(
        of input: InferenceRequest.Input, in request: InferenceRequest
    ) throws -> ArraySlice<UInt8>? {
        guard let size = input.parameters?.binaryDataSize else {
            guard input.data != nil else { throw InferenceError(.badRequest, "the input has no data") }
            guard request.binary.isEmpty else {
                throw InferenceError(.badRequest, "bytes follow the JSON, but no input has binary_data_size")
            }
            return nil
        }
        guard size == request.binary.count else {
            throw InferenceError(
                .badRequest, "binary_data_size is \(size), but \(request.binary.count) bytes follow the JSON")
        }
        return request.binary
    }

    private static func levels(_ data: TensorData?) throws -> [UInt8] {
        guard case .numbers(let numbers) = data, numbers.allSatisfy({ (0...255).contains($0) && $0 == $0.rounded() })
        else { throw InferenceError(.badRequest, "UINT8 data are whole numbers from 0 to 255") }
        return numbers.map(UInt8.init)
    }

    private static func floats(_ data: TensorData?) throws -> [UInt8] {
        guard case .numbers(let numbers) = data else { throw InferenceError(.badRequest, "FP32 data are numbers") }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(numbers.count * 4)
        for number in numbers {
            withUnsafeBytes(of: Float(number).bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    /// Whether no value is infinite or not a number: all bits of its exponent would be set.
    private static func areFinite(_ bytes: [UInt8]) -> Bool {
        stride(from: 0, to: bytes.count, by: 4).allSatisfy { bytes[$0 + 3] & 0x7F != 0x7F || bytes[$0 + 2] & 0x80 == 0 }
    }

    /// Base64, since JSON has no bytes.
    private static func photos(_ data: TensorData?) throws -> [[UInt8]] {
        guard case .texts(let texts) = data else { throw InferenceError(.badRequest, "BYTES data are base64 texts") }
        return try texts.map { text in
            guard let photo = Data(base64Encoded: text) else {
                throw InferenceError(.badRequest, "BYTES data in JSON are base64; use binary tensor data for raw bytes")
            }
            return Array(photo)
        }
    }

    /// Each element is its length in 4 bytes, little-endian, and its bytes.
    private static func elements(_ bytes: ArraySlice<UInt8>) throws -> [[UInt8]] {
        var elements: [[UInt8]] = []
        var rest = bytes
        while !rest.isEmpty {
            guard rest.count >= 4 else { throw InferenceError(.badRequest, "the BYTES tensor is cut off") }
            let length = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            guard rest.count >= length else { throw InferenceError(.badRequest, "the BYTES tensor is cut off") }
            elements.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return elements
    }
}

extension ModelManifest.Input {
    /// What the protocol calls the input.
    var tensorName: String { name ?? "image" }

    /// Of the network's own input, without the batch.
    var tensorShape: [Int] {
        layout == "NCHW" ? [channels.count, height, width] : [height, width, channels.count]
    }
}
