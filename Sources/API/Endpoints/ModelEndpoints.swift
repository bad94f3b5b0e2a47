import Base
import Foundation
import HTTP
import Recognition

/// `/models`: lists models; adds, annotates, removes, loads, swaps, rolls back and unloads them.
struct ModelEndpoints: Sendable {
    /// The largest body of `PATCH /models/{name}`, in bytes.
    private static let maximumNotes = 65_536
    /// The largest form with a model, in bytes: the files and the fields around them.
    private static let maximumForm = ModelUpload.maximumBytes + (1 << 20)

    let recogniser: Recogniser
    /// Two models are received at a time.
    private let receptions = Seats(count: 2)

    func register(in router: inout Router) {
        router.get("/models", .asynchronous { try await list($0) })
        router.post("/models", bodyLimit: Self.maximumForm, .asynchronous { try await add($0) })
        router.delete("/models/{name}", suggesting { try await remove($0) })
        router.get("/models/{name}", suggesting { try await describe(reference($0)) })
        router.patch("/models/{name}", suggesting { try await annotate($0) })
        router.get(
            "/models/default", .withoutQuery { _ in try await describe(ModelReference(recogniser.defaultModel)) })
        router.put("/models/default", suggesting { try await setDefault($0) })
        router.post("/models/{name}/load", suggesting { try await load($0) })
        router.post("/models/{name}/unload", suggesting { try await unload($0) })
    }

    /// A handler that suggests similar names for an unknown model, and tells why a model cannot be loaded.
    private func suggesting(_ body: @escaping @Sendable (Request) async throws -> Response) -> Handler {
        .asynchronous { request in
            try await ProblemDetails.explainingBrokenModels {
                try await recogniser.suggestingModels { try await body(request) }
            }
        }
    }

    private func list(_ request: Request) async throws -> Response {
        let (offset, limit) = try QueryReader.pageOfShortList("models", request)
        let page = Page(of: try await recogniser.models.catalogue(), from: offset, limit: limit, list: "models") {
            ModelRepresentation($0)
        }
        return .bytes(try JSON.encode(page), type: .json)
    }

    /// Receives a form with the files of a model, and tries the model before it is added.
    private func add(_ request: Request) async throws -> Response {
        var query = QueryReader(request)
        let (name, version) = (try query.text("name"), try query.text("version"))
        try query.finish()
        do {
            try await recogniser.models.checkUpload(name: name, version: version)
            let upload = try await receive(request)
            let added = try await recogniser.models.accept(upload, name: name, version: version)
            var response = try await describe(added)
            response.status = .created
            response.headers["Location"] = "/models/\(added.name)"
            return response
        } catch RecognitionError.brokenModel(let name, let fault, let reason) {
            throw ProblemDetails.unusableModel(name, fault, reason)
        }
    }

    /// The files have the names that they have in a folder of models.
    private func receive(_ request: Request) async throws -> ModelUpload {
        guard request.mediaType?.essence == "multipart/form-data" else {
            throw ProblemDetails.unsupportedMediaType(
                of: request,
                send: "a form with the files of a model. With curl: -F file=@my_model.onnx -F file=@labels.txt",
                accepted: "multipart/form-data")
        }
        guard let seat = receptions.take() else { throw ModelUploadError.busy }
        defer { seat.leave() }
        let upload = try await recogniser.models.newUpload(expected: request.body.contentLength)
        let limits = MultipartLimits(parts: 32, partBytes: ModelUpload.maximumBytes, totalBytes: Self.maximumForm)
        try await request.readForm(limits: limits) { event in
            switch event {
            case .partBegan(let head):
                guard let name = head.filename else {
                    throw ProblemDetails.malformedBody(
                        "The field “\(head.name.prefix(80))” is not a file; name and version stand in the query.")
                }
                try await upload.begin(name)
            case .partBytes(let bytes): try await upload.append(Array(bytes))
            case .partEnded: break
            }
        }
        return upload
    }

    /// Removes a model that was added over HTTP. Others cannot be removed here.
    private func remove(_ request: Request) async throws -> Response {
        try await recogniser.models.remove(try reference(request))
        return Response(status: .noContent)
    }

    /// Reads `{"notes": ["…"]}`, which replace the notes of a model that was added over HTTP.
    private func annotate(_ request: Request) async throws -> Response {
        struct Change: Decodable { let notes: [String] }
        let reference = try reference(request)
        let body = try await request.body.collect(upTo: Self.maximumNotes)
        guard let notes = (try? JSON.decode(Change.self, from: body))?.notes, notes.count <= 32,
            notes.allSatisfy({ (1...1000).contains($0.unicodeScalars.count) && !$0.unicodeScalars.contains("\0") })
        else {
            throw ProblemDetails.malformedBody(
                #"The body has to be JSON of the form {"notes": ["…"]}: at most 32 notes of 1 to 1000 characters."#)
        }
        try await recogniser.models.setNotes(notes, of: reference)
        return try await describe(reference)
    }

    /// Loads a version (by default the latest), which answers from now on. Naming an earlier version rolls back.
    /// Requests under way are answered by the model that they began with.
    private func load(_ request: Request) async throws -> Response {
        let reference = try reference(request)
        try await recogniser.models.load(reference)
        return try await describe(ModelReference(name: reference.name))
    }

    /// Unloads a model. It does nothing if the model is not loaded. A request that names the model loads it again.
    private func unload(_ request: Request) async throws -> Response {
        let reference = try reference(request)
        _ = try await describe(reference)
        try recogniser.models.unload(reference)
        return try await describe(ModelReference(name: reference.name))
    }

    /// Reads `{"name": "…", "version": "…"}`, the default model until the service restarts.
    private func setDefault(_ request: Request) async throws -> Response {
        try QueryReader(request).finish()
        let form = #"{"name": "…", "version": "…"}"#
        let members = try JSON.members(
            try await request.body.collect(upTo: 4096), known: ["name", "version"], example: form)
        guard let choice = members.filter({ !($0.value is NSNull) }) as? [String: String], let name = choice["name"]
        else {
            throw ProblemDetails.malformedBody("The body has to be JSON of the form \(form).")
        }
        let reference = try ModelReference(choice["version"].map { "\(name)@\($0)" } ?? name)
        try await recogniser.models.makeDefault(reference)
        return try await describe(ModelReference(name: reference.name))
    }

    private func describe(_ reference: ModelReference) async throws -> Response {
        let status = try await recogniser.models.status(of: reference)
        return .bytes(try JSON.encode(ModelRepresentation(status, withLabels: true)), type: .json)
    }

    private func reference(_ request: Request) throws -> ModelReference {
        var query = QueryReader(request)
        let version = try query.text("version")
        try query.finish()
        let name = request.parameters["name"] ?? ""
        return try ModelReference(version.map { "\(name)@\($0)" } ?? name)
    }
}

extension ProblemDetails {
    /// Runs a body that loads a model. If that cannot be loaded, the problem (422) says why. The model that was loaded
    /// before still answers.
    static func explainingBrokenModels<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch RecognitionError.brokenModel(let name, _, let reason) {
            throw brokenModel("The model “\(name)” cannot be served: \(reason). What was loaded before still answers.")
        }
    }
}
