import Base
import HTTP
import Recognition
import Storage
import Training

/// `/training`: trains new classes from photos in folders, reports their quality, and deploys them or takes them back.
struct TrainingEndpoints: Sendable {
    private let service: TrainingService?
    private let maximumBytes: Int
    /// Each keeps enough events for a hundred steps of progress and the largest number of iterations.
    private let channels = EventChannels(capacity: 1_200)

    /// - Parameter service: nil if training is off.
    init(service: TrainingService?, maximumBytes: Int) {
        self.service = service
        self.maximumBytes = maximumBytes
        if let service {
            service.observe { [channels] in channels.take($0, of: service) }
        }
    }

    func register(in router: inout Router) {
        router.post("/training", bodyLimit: maximumBytes, .asynchronous { try await begin($0) })
        router.get("/training", .asynchronous { try list($0) })
        router.get("/training/{id}", .withoutQuery { try response(try record($0)) })
        // It cancels a training that is not over. Otherwise it removes it with its model, unless that model is in use.
        router.delete("/training/{id}", .noContent { try await required().delete(try record($0).id) })
        router.get("/training/{id}/events", .withoutQuery { try events($0) })
        router.put("/training/{id}/deployment", .asynchronous { try await deploy($0) })
        router.delete(
            "/training/{id}/deployment",
            .withoutQuery { try response(try await required().rollBack(try record($0).id)) })
        router.get("/training/{id}/report", .withoutQuery { try await report($0) })
        router.get("/training/{id}/confusion", .withoutQuery { try await plot($0, "confusion.svg") })
        router.get("/training/{id}/curve", .withoutQuery { try await plot($0, "curve.svg") })
        router.get("/training/{id}/errors/{number}", .withoutQuery { try await mistake($0) })
    }

    private func required() throws -> TrainingService {
        guard let service else {
            throw ProblemDetails.notFound("training", id: "this service has no folder to train in")
        }
        return service
    }

    private func record(_ request: Request) throws -> TrainingRecord {
        let id = try request.id(of: "training")
        return try required().record(id)
    }

    private func response(
        _ record: TrainingRecord, _ status: Status = .ok, headers: HeaderFields = [:]
    ) throws -> Response {
        let service = try required()
        let isDeployed = service.isDeployed(record)
        return try .json(
            TrainingRepresentation(
                record, isDeployed: isDeployed,
                isAttached: isDeployed && service.folder.isAttached(record.options.name),
                shadow: service.shadowTally(record)),
            status, headers: headers)
    }

    private func begin(_ request: Request) async throws -> Response {
        let service = try required()
        var parameters = try TrainingParameters(query: request, names: TrainingParameters.training)
        let photos = try await PhotoReception(service: service, maximumBytes: maximumBytes).receive(
            request, &parameters, check: { try await service.check($0.options()) })
        let options = try parameters.options()
        let record = try await service.submit(photos, options)
        return try response(record, .accepted, headers: ["Location": "/training/\(record.id)"])
    }

    private func list(_ request: Request) throws -> Response {
        var reader = QueryReader(request)
        let limit = try reader.integer("limit", in: 1...100, default: 20)
        let offset = try reader.offset(of: "training")
        try reader.finish()
        let service = try required()
        return try .json(
            Page(of: service.records, from: offset, limit: limit, list: "training") {
                TrainingRepresentation($0, isDeployed: service.isDeployed($0), withIterations: false)
            }, of: request)
    }

    private func events(_ request: Request) throws -> Response {
        let service = try required()
        let record = try record(request)
        return channels.channel(record.id, isOver: record.state.isOver) { channel in
            for iteration in record.iterations { channel.publish(iteration) }
            channel.publish(record, of: service)
        }.response(to: request)
    }

    // MARK: Deployment

    private func deploy(_ request: Request) async throws -> Response {
        var reader = QueryReader(request)
        let attaches = try reader.flag("attach")
        let isShadow = try reader.flag("shadow", default: false)
        try reader.finish()
        guard !isShadow || attaches != true else {
            throw ProblemDetails.invalidParameter(
                "attach", value: "true", expected: "left out with shadow=true, which answers nobody")
        }
        let id = try record(request).id
        let service = try required()
        let record = try await ProblemDetails.explainingBrokenModels {
            if isShadow { return try await service.shadow(id) }
            return try await service.deploy(id, attaches: attaches)
        }
        return try response(record)
    }

    // MARK: Files

    /// The report as JSON, or as Markdown if the client prefers that.
    private func report(_ request: Request) async throws -> Response {
        guard let offer = Accept.best(of: [.json, MediaType("text", "markdown")], for: request.headers) else {
            throw ProblemDetails(.notAcceptable, detail: "A report is application/json or text/markdown.")
        }
        return offer == .json
            ? try await file(request, "report.json", "application/json")
            : try await file(request, "REPORT.md", "text/markdown; charset=utf-8")
    }

    private func mistake(_ request: Request) async throws -> Response {
        let text = request.parameters["number"] ?? ""
        guard let number = Int(decimal: text), (0..<1_000).contains(number) else {
            throw ProblemDetails.notFound("photo", id: text)
        }
        return try await file(request, "errors/\(number).jpg", "image/jpeg")
    }

    private func plot(_ request: Request, _ name: String) async throws -> Response {
        PageSecurity.protect(drawing: try await file(request, name, "image/svg+xml"))
    }

    private func file(_ request: Request, _ name: String, _ type: String) async throws -> Response {
        let record = try record(request)
        guard let bytes = try await required().file(name, of: record) else {
            throw ProblemDetails.notFound("\(name) of the training", id: "\(record.id)")
        }
        let tag = String(ContentDigest(of: bytes).hexadecimal.prefix(32))
        return Representation(.bytes(bytes), contentType: type, revalidatedBy: tag).response(to: request)
    }
}

extension EventChannels {
    /// Publishes `progress` while a training waits and reads photos, `iteration` for each iteration, and at the end
    /// `done`, `failed` or `cancelled`.
    fileprivate func take(_ event: TrainingService.Event, of service: TrainingService) {
        switch event {
        case .looked, .ended: break
        case .iteration(let record, let iteration): channel(record.id).publish(iteration)
        case .changed(let record):
            channel(record.id).publish(record, of: service)
            if record.state.isOver { finish(record.id) }
        }
    }
}

extension EventChannel {
    fileprivate func publish(_ iteration: TrainingIteration) {
        publish(TrainingRepresentation.Iteration(iteration), "iteration")
    }

    fileprivate func publish(_ record: TrainingRecord, of service: TrainingService) {
        publish(
            TrainingRepresentation(record, isDeployed: service.isDeployed(record), withIterations: false),
            record.state.isOver ? record.state.rawValue : "progress")
    }
}
