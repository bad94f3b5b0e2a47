import Base
import HTTP
import Recognition

/// The answer to `POST /v2/models/{m}/infer`: JSON with tensors in it, or with their bytes behind it.
struct InferenceAnswer {
    let request: InferenceRequest
    let model: LoadedModel
    /// One output for each picture.
    let outputs: [ModelOutput]

    /// - Throws: ``InferenceError`` if the request names an output that the model does not have.
    func response() throws -> Response {
        let all = request.parameters?.binaryDataOutput ?? false
        let wanted = request.outputs.flatMap { $0.isEmpty ? nil : $0 }
        let names = wanted?.map(\.name) ?? model.outputs.map(\.name)
        var tensors: [JSONValue] = []
        var binary: [UInt8] = []
        var hasBinary = false
        for (position, name) in names.enumerated() {
            guard let index = model.outputs.firstIndex(where: { $0.name == name }) else {
                let known = model.outputs.map(\.name).joined(separator: ", ")
                throw InferenceError("there is no output \"\(name)\"; the model has \(known)")
            }
            let parameters = wanted?[position].parameters
            let isBinary = parameters?.binaryData ?? all
            var tensor =
                try parameters?.classification.map { try classes($0, of: index) } ?? values(of: index)
            tensor.members["name"] = .string(name)
            if isBinary {
                hasBinary = true
                tensor.members["parameters"] = .object(["binary_data_size": .integer(tensor.bytes.count)])
                binary += tensor.bytes
            } else {
                tensor.members["data"] = .array(tensor.data)
            }
            tensors.append(.object(tensor.members))
        }
        var members: [String: JSONValue] = [
            "model_name": .string(model.manifest.name), "model_version": .string(model.manifest.version),
            "outputs": .array(tensors),
        ]
        if let id = request.id { members["id"] = .string(id) }
        let json = JSONValue.object(members).bytes
        guard hasBinary else { return .bytes(json, type: .json) }
        var response = Response.bytes(json + binary, type: .octetStream)
        response.headers["Inference-Header-Content-Length"] = String(json.count)
        return response
    }

    private struct Tensor {
        var members: [String: JSONValue]
        let data: [JSONValue]
        let bytes: [UInt8]
    }

    /// An output's values as FP32.
    private func values(of index: Int) -> Tensor {
        let values = outputs.flatMap { $0.values[index] }
        let shape = [outputs.count] + model.outputs[index].shape
        return Tensor(
            members: ["datatype": "FP32", "shape": .array(shape.map(JSONValue.integer))],
            data: values.map { .number(Double($0)) }, bytes: values.littleEndian)
    }

    /// The classes of the classification extension: BYTES of the form `value:index:label`, likeliest first.
    private func classes(_ count: Int, of index: Int) throws -> Tensor {
        guard count > 0 else { throw InferenceError("\"classification\" is to be 1 or more") }
        let (size, name) = (model.outputs[index].size, model.outputs[index].name)
        let labels = model.manifest.heads.first { ($0.value.output ?? $0.key) == name }?.value.labels
        var texts: [String] = []
        for output in outputs {
            let values = output.values[index]
            let order = values.indices.sorted { (values[$1], $0) < (values[$0], $1) }
            texts += order.prefix(count).map { position in
                "\(values[position]):\(position)" + (labels.map { ":" + $0[position] } ?? "")
            }
        }
        var bytes: [UInt8] = []
        for text in texts {
            withUnsafeBytes(of: UInt32(text.utf8.count).littleEndian) { bytes.append(contentsOf: $0) }
            bytes += Array(text.utf8)
        }
        let shape = [outputs.count, min(count, size)]
        return Tensor(
            members: ["datatype": "BYTES", "shape": .array(shape.map(JSONValue.integer))],
            data: texts.map(JSONValue.string), bytes: bytes)
    }
}
