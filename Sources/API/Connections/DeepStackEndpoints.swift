import Base
import Connections
import HTTP
import Metrics
import Recognition
import Security

/// `/v1/…` in the form of DeepStack and CodeProject.AI, for Blue Iris, Agent DVR, Home Assistant and Frigate.
/// ``DeepStackErrors`` gives errors their form.
struct DeepStackEndpoints: Sendable {
    let watcher: PhotoWatcher
    let access: AccessControl
    let metrics: ServiceMetrics
    let options: MenagerieAPI.Options

    /// The default of both servers.
    private static let leastConfidence = 0.4

    func register(in router: inout Router) {
        router.post("/v1/vision/detection", .guarded(check: check, handler: detect))
        router.post(
            "/v1/vision/custom/list",
            .inline { request in
                try checkActivation()
                return Self.json(Self.models.bytes)
            })
        router.post("/v1/vision/custom/{model}", .guarded(check: check, handler: detect))
        router.get(
            "/v1/status/updateavailable",
            .inline { request in
                try checkActivation()
                return Self.json(Self.update.bytes)
            })
    }

    private func checkActivation() throws {
        guard options.connections.deepStack else {
            throw ProblemDetails(
                .forbidden, detail: "Vision endpoints not activated: the setting connections.deepstack has to be true")
        }
    }

    private func check(for request: Request) throws {
        try checkActivation()
        try watcher.recogniser.checkRoom { nil }
    }

    private func model(_ request: Request) throws -> DeepStackModel {
        guard let name = request.parameters["model"] else { return .general }
        guard let model = DeepStackModel(rawValue: name) else {
            let known = DeepStackModel.allCases.map(\.rawValue).joined(separator: ", ")
            throw ProblemDetails(.notFound, detail: "There is no custom model “\(name.prefix(80))”; there are \(known)")
        }
        return model
    }

    private func detect(_ request: Request) async throws -> Response {
        let form = try await Form(request, limit: options.maximumUploadBytes)
        try access.checkKey(inForm: form.key, of: request)
        let model = try model(request)
        let least = try form.leastConfidence ?? Self.leastConfidence
        let deadline = try request.deadline(within: options.requestTimeout)
        let seen = try await watcher.things(
            in: try form.photo, namesPets: model == .pets,
            options: DetectionOptions(
                threshold: Float(least), limit: 100, tiles: .automatic, deadline: deadline))
        metrics.photosSearched.increment()
        let answer = DeepStackAnswer(
            seen, as: model, from: least, taken: .now - request.arrival, time: "\(HTTPDate.now)")
        return Self.json(try JSONStreamEncoder().encode(answer))
    }

    private static func json(_ bytes: [UInt8]) -> Response { .bytes(bytes, type: .json, cacheControl: "no-store") }

    /// The list of models that Blue Iris may ask for.
    private static var models: JSONValue {
        [
            "success": true, "models": .array(DeepStackModel.allCases.map { .string($0.rawValue) }), "moduleId": "",
            "moduleName": "", "command": "list", "statusData": nil, "inferenceDevice": "CPU",
            "analysisRoundTripMs": 0, "processedBy": "Menagerie", "timestampUTC": .string("\(HTTPDate.now)"),
        ]
    }

    /// The answer to Blue Iris, which asks for updates of CodeProject.AI. There never is an update.
    private static let update: JSONValue = {
        let version: JSONValue = [
            "major": 1, "minor": 0, "patch": 0, "preRelease": nil, "securityUpdate": false, "build": 0, "file": "",
            "releaseNotes": "",
        ]
        return [
            "success": true, "message": "", "version": nil, "current": version, "latest": version,
            "updateAvailable": false,
        ]
    }()

    /// The fields of a request. Clients send the picture without a media type, and also fields that are ignored.
    private struct Form {
        private let parts: [String: MultipartPart]

        init(_ request: Request, limit: Int) async throws {
            do {
                let parts = try await request.multipartParts(
                    limits: MultipartLimits(parts: 16, partBytes: limit, totalBytes: limit))
                self.parts = Dictionary(parts.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
            } catch MultipartError.notFormData {
                throw Self.noPhoto
            }
        }

        private static var noPhoto: ProblemDetails {
            ProblemDetails.malformedBody("No valid image file found")
        }

        /// The key; nil if it is absent or empty. Frigate and Home Assistant send an empty key if none is set.
        var key: String? { parts["api_key"].map(\.text).flatMap { $0.isEmpty ? nil : $0 } }

        var photo: [UInt8] {
            get throws {
                guard let photo = parts["image"]?.bytes, !photo.isEmpty else { throw Self.noPhoto }
                return photo
            }
        }

        /// The least confidence, 0…1; nil if the request sets none.
        var leastConfidence: Double? {
            get throws {
                guard let text = parts["min_confidence"]?.text else { return nil }
                guard let least = Double(decimal: text), (0...1).contains(least) else {
                    throw ProblemDetails.malformedBody(
                        "min_confidence is “\(text.prefix(40))”, but has to be a number from 0 to 1, such as 0.5")
                }
                return least
            }
        }
    }
}

/// The interfaces for other programs that are open.
package struct ConnectionOptions: Sendable {
    /// Whether `/v1/vision` answers like DeepStack and CodeProject.AI.
    package var deepStack: Bool
    /// Whether `/api/v1/vision/labels` answers PhotoPrism.
    package var photoPrism: Bool

    package init(deepStack: Bool = false, photoPrism: Bool = false) {
        self.deepStack = deepStack
        self.photoPrism = photoPrism
    }
}
