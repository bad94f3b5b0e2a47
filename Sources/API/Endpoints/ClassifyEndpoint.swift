import Encyclopaedia
import Foundation
import HTTP
import History
import Imaging
import Recognition
import Telemetry

/// `POST /classify`: one photo or several in, what they show out, saved unless the request says otherwise.
struct ClassifyEndpoint: Sendable {
    let recogniser: Recogniser
    let encyclopaedia: Encyclopaedia
    let history: HistoryStore
    let metrics: ServiceMetrics
    let readiness: Readiness
    let options: MenagerieAPI.Options

    func register(in router: inout Router) {
        router.post("/classify", .asynchronous { try await classify($0) })
    }

    private func classify(_ request: Request) async throws -> Response {
        let query = try ClassifyOptions(request, savesByDefault: options.savesByDefault)
        let upload = try await PhotoUpload(request, limit: options.maximumUploadBytes)
        let deadline = try request.deadline(within: options.requestTimeout)
        let names = LabelNames(encyclopaedia: encyclopaedia, language: query.language)
        var response: Response
        if upload.isList {
            let results = await classifyAll(upload.photos, query, deadline, names)
            response = .bytes(try JSON.encode(ClassificationList(results: results)), type: .json)
        } else {
            let answer = try await classifyOne(upload.photos[0], query, deadline)
            response = .bytes(
                try JSON.encode(ClassificationRepresentation(answer, names: names)), type: .json)
            if answer.isSaved { response.headers["Content-Location"] = "/history/\(answer.scan.id)" }
            response.headers["Server-Timing"] = answer.serverTiming
        }
        response.headers["Cache-Control"] = "no-store"
        response.headers["Content-Language"] = query.language.rawValue
        return response
    }

    /// Each photo for itself, so that one that cannot be read does not spoil the others; answers in the form's order.
    private func classifyAll(
        _ photos: [[UInt8]], _ query: ClassifyOptions, _ deadline: ContinuousClock.Instant, _ names: LabelNames
    ) async -> [ClassificationResult] {
        await withTaskGroup(of: (Int, ClassificationResult).self) { group in
            for (index, photo) in photos.enumerated() {
                group.addTask {
                    do {
                        let answer = try await classifyOne(photo, query, deadline, priority: .bulk)
                        return (index, .answer(ClassificationRepresentation(answer, names: names)))
                    } catch let error as any ProblemConvertible {
                        return (index, .problem(error.problem))
                    } catch {
                        return (index, .problem(ProblemDetails(.internalServerError)))
                    }
                }
            }
            var results: [(Int, ClassificationResult)] = []
            for await result in group { results.append(result) }
            return results.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private func classifyOne(
        _ photo: [UInt8], _ query: ClassifyOptions, _ deadline: ContinuousClock.Instant,
        priority: Priority = .interactive
    ) async throws -> ClassifiedPhoto {
        let classification = try await recogniser.classify(
            photo, model: query.model,
            options: ClassificationOptions(
                crop: query.crop, priority: priority, deadline: deadline, head: query.requestedHead,
                requiredHeads: query.requiredHeads))
        metrics.photos.with(Self.kind(of: classification)).increment()
        let scan = try NewScan(classification, query)
        guard query.saves else { return ClassifiedPhoto(scan: scan, isSaved: false, showsHeads: query.heads != nil) }
        _ = try await history.save(scan, photo: recogniser.storedCopy(of: photo))
        metrics.scansSaved.increment()
        return ClassifiedPhoto(scan: scan, isSaved: true, showsHeads: query.heads != nil)
    }

    /// Cat, dog or other: a bounded set for the metrics' label.
    private static func kind(of classification: Classification) -> String {
        classification.species == "cat" || classification.species == "dog" ? classification.species : "other"
    }
}

/// A photo with its answer.
struct ClassifiedPhoto: Sendable {
    let scan: NewScan
    let isSaved: Bool
    /// Whether the request asked for the heads.
    let showsHeads: Bool

    /// For the browser's developer tools (W3C Server Timing).
    var serverTiming: String {
        let timing = scan.timing
        return "decode;dur=\(timing.decode), queue;dur=\(timing.queue), inference;dur=\(timing.inference)"
    }
}

extension NewScan {
    /// Answers as many predictions as asked for; of each head, too, where heads were asked for.
    fileprivate init(_ classification: Classification, _ query: ClassifyOptions) throws {
        guard let digest = ContentDigest(classification.image.sha256) else {
            throw RecognitionError.engine("the photo's checksum is malformed")
        }
        let language = MessageLanguage(rawValue: query.language.rawValue) ?? .english
        var heads: [String: [History.Prediction]] = [:]
        for name in query.heads.map({ $0.isEmpty ? classification.heads.map(\.name) : $0 }) ?? [] {
            heads[name] = classification.answer(of: name)?.top(query.top).map(History.Prediction.init)
        }
        self.init(
            species: classification.species, head: classification.head,
            predictions: classification.predictions(query.top).map(History.Prediction.init), heads: heads,
            presence: Dictionary(
                uniqueKeysWithValues: classification.presence.map { ($0.label, $0.confidence.rounded4) }),
            abstained: classification.abstained, message: classification.message(in: language),
            model: ScanModel(name: classification.modelName, version: classification.modelVersion),
            image: ScanImage(
                width: classification.image.storedWidth, height: classification.image.storedHeight,
                format: classification.image.format.rawValue,
                orientation: Int(classification.image.orientation.rawValue), sha256: digest),
            timing: ScanTiming(
                decode: classification.timing.decodeMilliseconds.rounded2,
                queue: classification.timing.queueMilliseconds.rounded2,
                inference: classification.timing.inferenceMilliseconds.rounded2,
                batchSize: classification.timing.batchSize))
    }
}

extension History.Prediction {
    fileprivate init(_ prediction: Recognition.Prediction) {
        self.init(label: prediction.label, confidence: prediction.confidence.rounded4)
    }
}

extension Float {
    /// To four decimals, more than which no confidence deserves.
    fileprivate var rounded4: Double { (Double(self) * 10_000).rounded() / 10_000 }
}

extension Double {
    fileprivate var rounded2: Double { (self * 100).rounded() / 100 }
}
