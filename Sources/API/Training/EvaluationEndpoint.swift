import Base
import HTTP
import Recognition
import Training

/// `POST /evaluation`: measures a model on labelled photos, and compares it with another. One runs at a time.
struct EvaluationEndpoint: Sendable {
    private static let interval = Duration.milliseconds(250)

    private let service: TrainingService?
    private let maximumBytes: Int
    private let turn = SingleTurn()

    /// - Parameter service: nil if there is no folder for photos.
    init(service: TrainingService?, maximumBytes: Int) {
        self.service = service
        self.maximumBytes = maximumBytes
    }

    func register(in router: inout Router) {
        router.post("/evaluation", bodyLimit: maximumBytes, .asynchronous { try await evaluate($0) })
    }

    private struct Wanted: Sendable {
        let photos: LabelledPhotos
        let model: ModelReference?
        let against: ModelReference?
        let head: String?
    }

    private func evaluate(_ request: Request) async throws -> Response {
        guard let service else {
            throw Problem(.notFound("evaluation", id: "this service has no folder to put photos into"))
        }
        guard let answer = Accept.best(of: [.json, .eventStream], for: request.headers) else {
            throw Problem(
                ProblemDetails(.notAcceptable, detail: "An evaluation is application/json or text/event-stream."))
        }
        guard let place = turn.take() else { throw Problem(.overloaded(retryAfterSeconds: 5)) }
        var parameters = try TrainingParameters(query: request, names: TrainingParameters.evaluation)
        let photos: LabelledPhotos
        do {
            photos = try await PhotoReception(service: service, maximumBytes: maximumBytes).receive(
                request, &parameters,
                check: {
                    _ = try $0.model("model")
                    _ = try $0.model("against")
                })
        } catch let error as TrainingError {
            throw Problem(error.problemOfEvaluation)
        }
        let wanted = Wanted(
            photos: photos, model: try parameters.model("model"), against: try parameters.model("against"),
            head: parameters.head)
        guard answer == .eventStream else {
            defer { place.leave() }
            var response = Response.bytes(try await run(wanted, service) { _, _ in }, type: .json)
            response.headers["Cache-Control"] = "no-store"
            return response
        }
        return Response(
            headers: [
                "Content-Type": MediaType.eventStream.description, "Cache-Control": "no-store",
                "X-Accel-Buffering": "no",
            ],
            body: .stream(length: nil) { writer in
                defer { place.leave() }
                try await run(wanted, service, telling: writer)
            })
    }

    private func run(
        _ wanted: Wanted, _ service: TrainingService, progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws -> [UInt8] {
        do {
            let evaluation = try await PhotoReception.reading {
                try await service.evaluate(
                    wanted.photos, model: wanted.model, against: wanted.against, head: wanted.head, progress: progress)
            }
            return try JSON.encode(EvaluationRepresentation(evaluation))
        } catch let error as TrainingError {
            throw Problem(error.problemOfEvaluation)
        } catch RecognitionError.unknownHead(let name, let available) {
            throw Problem(
                .invalidParameter("head", value: name, expected: "one of \(available.joined(separator: ", "))"))
        }
    }

    /// Sends `progress` from time to time, and at the end `done` or `failed`.
    private func run(_ wanted: Wanted, _ service: TrainingService, telling writer: ResponseBodyWriter) async throws {
        func tell(_ event: String, _ json: [UInt8]) async throws {
            let text = String(decoding: json, as: UTF8.self)
            try await writer.write(ServerSentEvent(event: event, data: text).serialized())
        }
        let (steps, source) = AsyncStream.makeStream(
            of: EvaluationRepresentation.Progress.self, bufferingPolicy: .bufferingNewest(1))
        async let outcome = Result {
            defer { source.finish() }
            return try await run(wanted, service) {
                source.yield(EvaluationRepresentation.Progress(photos: $0, total: $1))
            }
        }
        for await step in steps {
            try await tell("progress", JSON.encode(step))
            try await Task.sleep(for: Self.interval)
        }
        do {
            try await tell("done", outcome.get())
        } catch let error as any ProblemConvertible {
            try await tell("failed", error.problem.json())
        }
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
