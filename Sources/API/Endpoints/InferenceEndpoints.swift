import HTTP
import Recognition

/// The Open Inference Protocol v2 under `/v2`: metadata, health, inference, and Triton's model repository extension.
struct InferenceEndpoints: Sendable {
    let recogniser: Recogniser
    let readiness: Readiness
    let options: MenagerieAPI.Options

    func register(in router: inout Router) {
        router.get("/v2", .inline { _ in server() })
        router.get("/v2/health/live", .inline { _ in Self.json(["live": true]) })
        router.get("/v2/health/ready", .inline { _ in ready() })
        for model in ["/v2/models/{name}", "/v2/models/{name}/versions/{version}"] {
            router.get(model, protected { try await metadata($0) })
            router.get("\(model)/ready", protected { try await modelReady($0) })
            router.post("\(model)/infer", protected { try await infer($0) })
            router.get(
                "\(model)/config",
                protected { try await recogniser.models.withModel(try reference($0)) { Self.json($0.configuration) } })
            router.get("\(model)/stats", protected { try await statistics($0) })
        }
        router.get("/v2/models/stats", protected { _ in Self.statistics(try await recogniser.models.catalogue()) })
        router.post("/v2/repository/index", protected { _ in try await index() })
        router.post("/v2/repository/models/{name}/load", protected { try await load($0) })
        router.post("/v2/repository/models/{name}/unload", protected { try await unload($0) })
    }

    /// Gives every error the protocol's form.
    private func protected(_ body: @escaping @Sendable (Request) async throws -> Response) -> Handler {
        .asynchronous { request in
            do {
                return try await recogniser.suggestingModels { try await body(request) }
            } catch let error as CancellationError {
                throw error
            } catch {
                return InferenceError(error).response
            }
        }
    }

    // MARK: Server

    private func server() -> Response {
        Self.json([
            "name": "menagerie", "version": .string(options.serverVersion),
            "extensions": [
                "binary_tensor_data", "classification", "model_repository", "model_configuration", "statistics",
            ],
        ])
    }

    private func ready() -> Response {
        let isReady = readiness.reason == nil
        return Self.json(["ready": .bool(isReady)], status: isReady ? .ok : .serviceUnavailable)
    }

    // MARK: Models

    private func metadata(_ request: Request) async throws -> Response {
        let reference = try reference(request)
        let status = try await recogniser.models.status(of: ModelReference(name: reference.name))
        let versions = status.versions.map(\.version)
        return try await recogniser.models.withModel(reference) { model in
            let input = model.manifest.input
            let shape: [JSONValue] = [-1, .integer(input.height), .integer(input.width), 3]
            return Self.json([
                "name": .string(model.manifest.name), "versions": .array(versions.map(JSONValue.string)),
                "platform": "openvino",
                "inputs": [
                    .object([
                        "name": .string(input.tensorName), "datatype": "UINT8", "shape": .array(shape),
                    ])
                ],
                "outputs": .array(
                    model.outputs.map { output in
                        .object([
                            "name": .string(output.name), "datatype": "FP32",
                            "shape": .array([-1] + output.shape.map(JSONValue.integer)),
                        ])
                    }),
            ])
        }
    }

    /// The statistics of a loaded model. A model that is not loaded has none.
    private func statistics(_ request: Request) async throws -> Response {
        let reference = try reference(request)
        let status = try await recogniser.models.status(of: reference)
        return Self.statistics([status], version: reference.version)
    }

    private static func statistics(_ models: [ModelStatus], version: String? = nil) -> Response {
        let loaded = models.flatMap(\.versions).filter { (version ?? $0.version) == $0.version }.compactMap(\.model)
        return json(["model_stats": .array(loaded.map { .object($0.statisticsInTheProtocol) })])
    }

    private func modelReady(_ request: Request) async throws -> Response {
        let reference = try reference(request)
        let status = try await recogniser.models.status(of: ModelReference(name: reference.name))
        let isReady = status.versions.contains {
            $0.model != nil && (reference.version ?? $0.version) == $0.version
        }
        return Self.json(
            ["name": .string(reference.name), "ready": .bool(isReady)], status: isReady ? .ok : .serviceUnavailable)
    }

    private func infer(_ request: Request) async throws -> Response {
        let reference = try reference(request)
        let deadline = try request.deadline(within: options.requestTimeout)
        let field = request.headers["Inference-Header-Content-Length"]
        let header = field.flatMap(Int.init)
        guard field == nil || header != nil else {
            throw InferenceError("Inference-Header-Content-Length is to be a number of bytes")
        }
        return try await recogniser.models.withModel(reference) { model in
            let (parsed, pictures) = try await read(request, header: header, for: model, deadline)
            let priority: Priority = pictures.count > 1 ? .bulk : .interactive
            let outputs = try await recogniser.outputs(
                for: pictures, of: model, options: ClassificationOptions(priority: priority, deadline: deadline))
            return try InferenceAnswer(request: parsed, model: model, outputs: outputs).response()
        }
    }

    /// The JSON that is parsed at once, in bytes. It takes a tenth of a millisecond.
    private static let cheap = 16 * 1024
    /// The size in bytes above which a body waits behind single photos.
    private static let bulk = 1024 * 1024

    /// Reads the body as it arrives. Numbers in JSON cost as much as photos, so after the first few they are parsed on
    /// the lanes, in turns of a few milliseconds that wait in the model's line.
    private func read(
        _ request: Request, header: Int?, for model: LoadedModel, _ deadline: ContinuousClock.Instant?
    ) async throws -> (InferenceRequest, [Recogniser.Picture]) {
        let reader = InferenceReader(for: model, header: header, limit: options.maximumUploadBytes)
        if let length = request.body.contentLength, length > options.maximumUploadBytes {
            throw RequestBodyError.tooLarge(limit: options.maximumUploadBytes)
        }
        var (json, held) = (0, 0)
        for try await chunk in request.body {
            let count = reader.json(of: chunk.count)
            json += count
            if count == 0 || json <= Self.cheap {
                try reader.feed(chunk)
            } else {
                let priority: Priority = json > Self.bulk ? .bulk : .interactive
                try await recogniser.prepare(for: model, priority: priority, deadline: deadline) {
                    try reader.feed(chunk)
                }
            }
            try request.body.hold(reader.heldBytes - held)
            held = max(held, reader.heldBytes)
        }
        return try reader.finish()
    }

    // MARK: Repository

    private func index() async throws -> Response {
        let models = try await recogniser.models.catalogue()
        let items = models.flatMap { status in
            status.versions.map { version -> JSONValue in
                .object([
                    "name": .string(status.name), "version": .string(version.version),
                    "state": version.model == nil ? "UNAVAILABLE" : "READY",
                    "reason": .string(version.model == nil ? status.failure?.description ?? "unloaded" : ""),
                ])
            }
        }
        return .bytes(JSONValue.array(items).bytes, type: .json)
    }

    private func load(_ request: Request) async throws -> Response {
        do {
            try await recogniser.models.load(reference(request))
        } catch RecognitionError.brokenModel(let name, _, let reason) {
            throw InferenceError("the model \"\(name)\" cannot be served: \(reason)")
        }
        return Self.json([:])
    }

    private func unload(_ request: Request) async throws -> Response {
        let reference = try reference(request)
        _ = try await recogniser.models.status(of: reference)
        try recogniser.models.unload(reference)
        return Self.json([:])
    }

    private func reference(_ request: Request) throws -> ModelReference {
        let name = request.parameters["name"] ?? ""
        return try ModelReference(request.parameters["version"].map { "\(name)@\($0)" } ?? name)
    }

    private static func json(_ members: [String: JSONValue], status: Status = .ok) -> Response {
        .bytes(JSONValue.object(members).bytes, type: .json, status: status)
    }
}
