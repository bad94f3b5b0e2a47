import HTTP
import Recognition

/// The kind and number of elements in the input of a request.
///
/// A model takes one tensor: `UINT8`, N×height×width×3, RGB. Its own layout, element type and scale do not matter,
/// because they are part of the graph. Photo files come as `BYTES` of the shape N or N×1. A floating-point network also
/// takes `FP32`: its own input, in its own layout and scale.
struct InferenceTensor: Sendable {
    enum Form: Sendable {
        case levels, photos, floats
    }

    /// The largest number of pictures in one request.
    static let maximumCount = 256

    let form: Form
    /// The number of pictures.
    let count: Int
    /// The elements of one picture; 1 for photos.
    let elements: Int

    /// The binary size of one picture, in bytes; nil for photos, whose sizes differ.
    var pictureBytes: Int? {
        switch form {
        case .levels: elements
        case .floats: elements * 4
        case .photos: nil
        }
    }

    /// - Throws: ``InferenceError`` that tells what would be right.
    init(_ input: InferenceRequest.Input, of model: LoadedModel) throws(InferenceError) {
        let expected = model.manifest.input
        guard input.name == expected.tensorName else {
            throw InferenceError("there is no input \"\(input.name)\"; the model's is \"\(expected.tensorName)\"")
        }
        guard let count = input.shape.first, (1...Self.maximumCount).contains(count) else {
            throw InferenceError("the first dimension is to be 1 to \(Self.maximumCount) pictures")
        }
        self.count = count
        let rest = input.shape.dropFirst()
        switch input.datatype {
        case "UINT8":
            let shape = [expected.height, expected.width, 3]
            guard rest.elementsEqual(shape) else {
                throw InferenceError("the shape is to be [-1, \(expected.height), \(expected.width), 3]")
            }
            form = .levels
            elements = shape.reduce(1, *)
        case "BYTES":
            guard rest.count <= 1, rest.allSatisfy({ $0 == 1 }) else {
                throw InferenceError("photos are of the shape [-1] or [-1, 1]")
            }
            form = .photos
            elements = 1
        case "FP32" where model.takesTensors:
            let shape = expected.tensorShape
            guard rest.elementsEqual(shape) else {
                let sides = shape.map(String.init).joined(separator: ", ")
                throw InferenceError("the shape is to be [-1, \(sides)]")
            }
            form = .floats
            elements = shape.reduce(1, *)
        default:
            let right = model.takesTensors ? "UINT8 (levels), FP32 (the network's input)" : "UINT8 (levels)"
            throw InferenceError("the datatype is \(input.datatype), but has to be \(right) or BYTES (photo files)")
        }
    }
}

extension ModelManifest.Input {
    /// The input's name in the protocol.
    var tensorName: String { name ?? "image" }

    /// The shape of the network's own input, without the batch.
    var tensorShape: [Int] {
        layout == "NCHW" ? [channels.count, height, width] : [height, width, channels.count]
    }
}
