package import HTTP
package import Recognition

extension ModelUploadError: ProblemConvertible {
    package var problem: ProblemDetails {
        switch self {
        case .off:
            ProblemDetails(.conflict, detail: "This service has no data directory to keep models in.")
        case .busy: .overloaded(retryAfterSeconds: 5)
        case .fileName(let name):
            .malformedBody(
                "“\(name.prefix(80))” cannot be a file of a model: its files have different names without “/”, none of "
                    + "which begins with a point.")
        case .tooManyFiles(let limit): .malformedBody("A model has at most \(limit) files.")
        case .tooLarge(let file, let limit):
            ProblemDetails(
                .contentTooLarge, detail: "“\(file)” has more than the \(limit) bytes that such a file may have.")
        case .noModel(let files):
            .malformedBody(
                "\(files.isEmpty ? "No file came" : "None of \(files.map { "“\($0.prefix(80))”" }.joined(separator: ", ")) is a model"): "
                    + "send an .onnx, .tflite, .xml (with its .bin), .pb or .mlmodel file, and with it labels.txt or manifest.json."
            )
        case .severalModels(let files):
            .malformedBody(
                "\(files.map { "“\($0.prefix(80))”" }.joined(separator: ", ")) are models: send one, or with them a "
                    + "manifest.json that says which “file” counts.")
        case .name(let name):
            .invalidParameter("name", value: name, expected: "made of a-z, 0-9, _ and -, at most 128 of them")
        case .version(let version):
            .invalidParameter(
                "version", value: version,
                expected: "made of letters, digits, “.”, “_” and “-”, at most 64 of them, the first no point")
        case .exists(let reference):
            .modelExists("There is a model \(reference) already: choose another name or version, or remove it.")
        case .taken(let name):
            .modelExists("The name “\(name)” belongs to a model in the operator's folder: choose another name.")
        case .trained(let name):
            .modelTrained("The versions of “\(name)” come from trainings: they are made and removed under /training.")
        case .notOurs(let name):
            .modelNotOurs("“\(name)” was not sent to this service: it lies in its operator's folder of models.")
        }
    }
}

extension ProblemDetails {
    /// 422: an uploaded model fails its trial. Nothing of it is kept.
    static func unusableModel(_ name: String, _ fault: ModelFault, _ reason: String) -> ProblemDetails {
        brokenModel(
            "The model “\(name)” cannot be served: \(reason.hasSuffix(".") ? "\(reason.dropLast())" : reason). "
                + "Nothing of it is kept.",
            extensions: ["code": .string(fault.rawValue)])
    }
}
