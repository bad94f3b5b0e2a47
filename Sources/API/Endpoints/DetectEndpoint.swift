import Base
import Encyclopaedia
import HTTP
import Recognition
import Metrics

/// `POST /detect`: the animals and objects in a photo, with the breeds of cats and dogs. Nothing is saved.
struct DetectEndpoint: Sendable {
    let recogniser: Recogniser
    let encyclopaedia: Encyclopaedia
    let metrics: ServiceMetrics
    let options: MenagerieAPI.Options

    func register(in router: inout Router) {
        router.post("/detect", .guarded(check: checkRoom, handler: { try await detect($0) }))
    }

    /// Refuses a photo before it is read if there is no room for it.
    private func checkRoom(for request: Request) throws {
        try recogniser.checkRoom { request.query["model"] }
    }

    private func detect(_ request: Request) async throws -> Response {
        let query = try DetectOptions(request)
        let upload = try await PhotoUpload(request, parameters: query.parameters, limit: options.maximumUploadBytes)
        let deadline = try request.deadline(within: options.requestTimeout)
        let names = encyclopaedia.names(in: query.language)
        var response: Response
        if upload.isList, query.annotates {
            throw ProblemDetails.invalidParameter("annotate", value: "true", expected: "left out for several photos")
        } else if upload.isList {
            let results = try await upload.photos.concurrentMap { photo in
                await PhotoResult {
                    try await answer(photo, query, query.recognition(priority: .bulk, deadline: deadline), names)
                }
            }
            response = .bytes(try JSON.encode(["results": results]), type: .json)
        } else {
            let photo = upload.photos[0]
            let detection = try await answer(
                photo, query, query.recognition(priority: .interactive, deadline: deadline), names)
            response =
                query.annotates
                ? .bytes(
                    try await recogniser.annotatedCopy(of: photo, detection.annotations, deadline: deadline),
                    type: .jpeg)
                : .bytes(try JSON.encode(detection), type: .json)
            response.headers["Server-Timing"] = detection.timing.serverTiming
        }
        if request.query["annotate"] != nil { response.headers.addVary("Accept") }
        response.headers["Cache-Control"] = "no-store"
        response.headers["Content-Language"] = query.language.rawValue
        return response
    }

    private func answer(
        _ photo: [UInt8], _ query: DetectOptions, _ options: DetectionOptions, _ names: LabelNames
    ) async throws -> DetectionRepresentation {
        let detection = try await recogniser.suggestingModels {
            try await recogniser.detect(photo, model: query.model, options: options)
        }
        metrics.photosSearched.increment()
        return DetectionRepresentation(detection, names: names)
    }
}
