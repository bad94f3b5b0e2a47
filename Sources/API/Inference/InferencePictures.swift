import HTTP
import Base
import Recognition

/// Turns the elements of a request's tensor into pictures.
enum InferencePictures {
    /// - Throws: ``InferenceError`` if the elements have the wrong kind or number.
    static func read(
        _ elements: JSONElementReader.Elements, as tensor: InferenceTensor
    ) throws(InferenceError) -> [Recogniser.Picture] {
        switch (tensor.form, elements) {
        case (.levels, .levels(let levels)):
            return try split(levels, tensor, size: tensor.elements) { .levels($0) }
        case (.floats, .levels(let levels)):
            return try split(levels, tensor, size: tensor.elements) { .tensor($0.map(Float.init).littleEndian) }
        case (.floats, .numbers(let numbers)):
            return try split(numbers, tensor, size: tensor.elements) { .tensor($0.littleEndian) }
        case (.photos, .texts(let photos)):
            guard photos.count == tensor.count else { throw wrong(photos.count, tensor) }
            return photos.map { .photo($0) }
        case (_, .none): throw wrong(0, tensor)
        case (.levels, _): throw InferenceError("UINT8 data are whole numbers from 0 to 255")
        case (.floats, _): throw InferenceError("FP32 data are numbers")
        case (.photos, _): throw InferenceError("BYTES data are base64 texts")
        }
    }

    /// - Parameter bytes: the whole tensor, or photos with their lengths before them.
    static func read(_ bytes: [UInt8], as tensor: InferenceTensor) throws(InferenceError) -> [Recogniser.Picture] {
        switch tensor.form {
        case .levels: return try split(bytes, tensor, size: tensor.elements) { .levels($0) }
        case .floats:
            guard areFinite(bytes) else { throw InferenceError("FP32 data are finite numbers") }
            return try split(bytes, tensor, size: tensor.elements * 4) { .tensor($0) }
        case .photos:
            let photos = try photos(in: bytes[...])
            guard photos.count == tensor.count else { throw wrong(photos.count, tensor) }
            return photos.map { .photo($0) }
        }
    }

    /// - Parameter size: the number of elements in one picture.
    private static func split<Element>(
        _ elements: [Element], _ tensor: InferenceTensor, size: Int, _ make: ([Element]) -> Recogniser.Picture
    ) throws(InferenceError) -> [Recogniser.Picture] {
        guard elements.count == tensor.count * size else {
            throw wrong(elements.count / (size / tensor.elements), tensor)
        }
        return (0..<tensor.count).map { make(Array(elements[$0 * size..<($0 + 1) * size])) }
    }

    private static func wrong(_ count: Int, _ tensor: InferenceTensor) -> InferenceError {
        InferenceError("the tensor has \(count) elements, its shape \(tensor.count * tensor.elements)")
    }

    /// Whether no value is infinite or NaN, which have all bits of the exponent set.
    private static func areFinite(_ bytes: [UInt8]) -> Bool {
        stride(from: 3, to: bytes.count, by: 4).allSatisfy { bytes[$0] & 0x7F != 0x7F || bytes[$0 - 1] & 0x80 == 0 }
    }

    /// Splits the elements. Each is a length in 4 bytes, little-endian, and that many bytes.
    private static func photos(in bytes: ArraySlice<UInt8>) throws(InferenceError) -> [[UInt8]] {
        var photos: [[UInt8]] = []
        var rest = bytes
        while !rest.isEmpty {
            guard rest.count >= 4 else { throw InferenceError("the BYTES tensor is cut off") }
            let length = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            guard rest.count >= length else { throw InferenceError("the BYTES tensor is cut off") }
            guard photos.count < InferenceTensor.maximumCount else {
                throw InferenceError("the BYTES tensor has more than \(InferenceTensor.maximumCount) photos")
            }
            photos.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return photos
    }
}

extension [Float] {
    /// The bytes of the numbers, as the protocol has them.
    var littleEndian: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count * 4)
        for number in self {
            Swift.withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes
    }
}
