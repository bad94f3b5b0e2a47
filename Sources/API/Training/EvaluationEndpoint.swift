import Base
import HTTP
import Recognition
import Training

/// `POST /evaluation`: measures a model on labelled photos, and compares it with another. One runs at a time.
struct EvaluationEndpoint: Sendable {
    private static let interval = Duration.milliseconds(250)

    /// nil if there is no folder for photos.
    let service: TrainingService?
    let maximumBytes: Int
    private let seats = Seats(count: 1)

    func register(in router: inout Router) {
        router.post("/evaluation", bodyLimit: maximumBytes, .asynchronous { try await evaluate($0) })
    }

    private func evaluate(_ request: Request) async throws -> Response {
        guard let service else {
            throw ProblemDetails.notFound("evaluation", id: "this service has no folder to put photos into")
        }
        guard let answer = Accept.best(of: [.json, .eventStream], for: request.headers) else {
            throw ProblemDetails(.notAcceptable, detail: "An evaluation is application/json or text/event-stream.")
        }
        guard let seat = seats.take() else { throw ProblemDetails.overloaded(retryAfterSeconds: 5) }
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
            throw error.problemOfEvaluation
        }
        guard answer == .eventStream else {
            defer { seat.leave() }
            return .bytes(try await run(photos, parameters, service), type: .json, cacheControl: "no-store")
        }
        return .events { [parameters] send in
            defer { seat.leave() }
            let (steps, source) = AsyncStream.makeStream(
                of: EvaluationRepresentation.Progress.self, bufferingPolicy: .bufferingNewest(1))
            async let outcome = {
                defer { source.finish() }
                return try await run(photos, parameters, service) {
                    source.yield(EvaluationRepresentation.Progress(photos: $0, total: $1))
                }
            }()
            for await step in steps {
                try await send("progress", JSON.encode(step))
                try await Task.sleep(for: Self.interval)
            }
            return try await outcome
        }
    }

    private func run(
        _ photos: LabelledPhotos, _ parameters: TrainingParameters, _ service: TrainingService,
        progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws -> [UInt8] {
        do {
            let evaluation = try await service.evaluate(
                photos, model: parameters.model("model"), against: parameters.model("against"), head: parameters.head,
                progress: progress)
            return try JSON.encode(EvaluationRepresentation(evaluation))
        } catch let error as TrainingError {
            throw error.problemOfEvaluation
        } catch RecognitionError.unknownHead(let name, let available) {
            throw ProblemDetails.invalidParameter(
                "head", value: name, expected: "one of \(available.joined(separator: ", "))")
        }
    }
}
