import Foundation
import HTTP
import Base
import Recognition

/// Reads the body of `POST /v2/models/{m}/infer` as it arrives, into the model's input tensor. It fails at the first
/// error: a wrong shape, one number too many, bytes after the last picture.
///
/// `@unchecked Sendable`: the one task that reads a body hands it to one thread at a time and waits for it.
final class InferenceReader: @unchecked Sendable {
    private let model: LoadedModel
    private let limit: Int
    /// The bytes of JSON still to come; nil if the whole body is JSON.
    private var jsonLeft: Int?
    private let header: Int?
    private var received = 0
    private var envelope = InferenceEnvelope()
    private var request: InferenceRequest?
    private var tensor: InferenceTensor?
    private var binary: [UInt8] = []
    private var binaryLength = 0

    /// - Parameters:
    ///   - header: the bytes of JSON at the beginning of the body (`Inference-Header-Content-Length`); nil if all is
    ///   JSON.
    ///   - limit: the largest body, in bytes.
    init(for model: LoadedModel, header: Int?, limit: Int) {
        self.model = model
        self.header = header
        self.limit = limit
        jsonLeft = header
    }

    /// The memory held, in bytes.
    var heldBytes: Int { envelope.heldBytes + binary.count }

    /// The number of the next `count` bytes that are JSON.
    func json(of count: Int) -> Int { min(jsonLeft ?? count, count) }

    /// - Throws: ``InferenceError``, or `RequestBodyError.tooLarge(limit:)`.
    func feed(_ bytes: [UInt8]) throws {
        received += bytes.count
        guard received <= limit else { throw RequestBodyError.tooLarge(limit: limit) }
        let count = json(of: bytes.count)
        if count > 0 {
            try envelope.feed(bytes.span.extracting(0..<count)) { input throws(InferenceError) in
                try reader(after: input)
            }
            jsonLeft? -= count
        }
        guard count < bytes.count else { return }
        if request == nil { try beginBinary() }
        guard binary.count + bytes.count - count <= binaryLength else {
            throw InferenceError("binary_data_size is \(binaryLength), but more bytes than that follow the JSON")
        }
        binary += bytes[count...]
    }

    /// Checks that the body is complete.
    ///
    /// - Throws: ``InferenceError``.
    func finish() throws -> (InferenceRequest, [Recogniser.Picture]) {
        if let jsonLeft, jsonLeft > 0, let header {
            throw InferenceError("Inference-Header-Content-Length is \(header), the body has \(received) bytes")
        }
        let request = try request ?? InferenceRequest(parsing: envelope.json)
        let input = try input(of: request)
        let tensor = try tensor ?? InferenceTensor(input, of: model)
        let pictures: [Recogniser.Picture]
        if let size = input.parameters?.binaryDataSize {
            guard size == binary.count else {
                throw InferenceError("binary_data_size is \(size), but \(binary.count) bytes follow the JSON")
            }
            pictures = try InferencePictures.read(binary, as: tensor)
        } else {
            guard let elements = envelope.reader?.elements else { throw InferenceError("the input has no data") }
            pictures = try InferencePictures.read(elements, as: tensor)
        }
        return (request, pictures)
    }

    // MARK: Elements in JSON

    /// - Parameter input: the members of the input before its elements. If they do not give the shape, as many elements
    ///   as the model ever takes are allowed.
    private func reader(after input: [UInt8]) throws(InferenceError) -> JSONElementReader {
        guard let input = try? JSONDecoder().decode(InferenceRequest.Input.self, from: Data(input)) else {
            let size = model.manifest.input
            return JSONElementReader(
                [.numbers, .texts], limit: InferenceTensor.maximumCount * size.height * size.width * 3)
        }
        let tensor = try InferenceTensor(input, of: model)
        let limit = tensor.count * tensor.elements
        switch tensor.form {
        case .levels: return JSONElementReader(.levels, limit: limit)
        case .floats: return JSONElementReader(.numbers, limit: limit)
        case .photos: return JSONElementReader(.texts, limit: limit)
        }
    }

    // MARK: Elements as bytes

    /// Switches from the JSON, which is complete, to the bytes after it.
    private func beginBinary() throws(InferenceError) {
        let request = try InferenceRequest(parsing: envelope.json)
        let input = try input(of: request)
        guard let size = input.parameters?.binaryDataSize else {
            throw InferenceError("bytes follow the JSON, but no input has binary_data_size")
        }
        let tensor = try InferenceTensor(input, of: model)
        if let bytes = tensor.pictureBytes, size != tensor.count * bytes {
            throw InferenceError(
                "binary_data_size is \(size), but a tensor of its shape has \(tensor.count * bytes) bytes")
        }
        guard (0...limit).contains(size) else { throw InferenceError("binary_data_size is to be 0 to \(limit)") }
        binary.reserveCapacity(size)
        binaryLength = size
        self.request = request
        self.tensor = tensor
    }

    private func input(of request: InferenceRequest) throws(InferenceError) -> InferenceRequest.Input {
        guard request.inputs.count == 1, let input = request.inputs.first else {
            throw InferenceError(
                "the model has one input, \"\(model.manifest.input.tensorName)\", not \(request.inputs.count)")
        }
        return input
    }
}
