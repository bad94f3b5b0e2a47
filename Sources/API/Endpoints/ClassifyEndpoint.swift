import Base
import Encyclopaedia
import Foundation
import HTTP
import Imaging
import Metrics
import Recognition
import Storage
import Streams
import Telemetry
import Training

/// `POST /classify`: recognises one photo or several, and saves scans unless the request says otherwise.
///
/// With an `Idempotency-Key` a repeated request gets the scan that was saved the first time. A request with the same
/// key and other photos or options is refused. In a form with several photos, each has its own key: the request's with
/// `#` and the photo's index, counted from 0.
struct ClassifyEndpoint: Sendable {
    let recogniser: Recogniser
    let encyclopaedia: Encyclopaedia
    let history: HistoryStore
    let metrics: ServiceMetrics
    /// The service for trained heads and individuals; nil without training.
    let training: TrainingService?
    let options: MenagerieAPI.Options

    func register(in router: inout Router) {
        router.post("/classify", .guarded(check: checkRoom, handler: { try await classify($0) }))
    }

    /// Refuses a photo before it is read if there is no room for it. A request with a key is let in, because the
    /// history may answer it.
    private func checkRoom(for request: Request) throws {
        guard !request.headers.contains("Idempotency-Key") else { return }
        try recogniser.checkRoom { request.query["model"] }
    }

    private func classify(_ request: Request) async throws -> Response {
        let query = try ClassifyOptions(request, defaults: options)
        let received = ContinuousClock.now
        let upload = try await PhotoUpload(request, parameters: query.parameters, limit: options.maximumUploadBytes)
        ActiveSpan.recordStage("receive", from: received, seconds: (ContinuousClock.now - received) / .seconds(1))
        let key = try await key(of: request, upload, query)
        let deadline = try request.deadline(within: options.requestTimeout)
        var response: Response
        if upload.isList && !query.fuses {
            guard query.original == nil else {
                throw ProblemDetails.invalidParameter(
                    "original", value: request.query["original"] ?? "", expected: "left out with several photos")
            }
            // Whether the answers were given before. An unreadable photo adds nothing.
            let replays = Locked(Set<Bool>())
            let results = try await upload.photos.indices.concurrentMap { index in
                await PhotoResult {
                    let result = try await answer(
                        [upload.photos[index]], query, deadline, request, key: key?.of(photo: index), priority: .bulk)
                    _ = replays.withLock { $0.insert(result.isReplayed) }
                    return result.representation
                }
            }
            response = .bytes(try JSON.encode(["results": results]), type: .json)
            if replays.withLock({ $0 == [true] }) { response.headers["Idempotent-Replayed"] = "true" }
        } else {
            let (answer, isReplayed) = try await answer(upload.photos, query, deadline, request, key: key)
            response = .bytes(try JSON.encode(answer), type: .json)
            response.headers["Content-Location"] = answer.url
            response.headers["Server-Timing"] = answer.timing.serverTiming
            if isReplayed { response.headers["Idempotent-Replayed"] = "true" }
        }
        response.headers["Cache-Control"] = "no-store"
        response.headers["Content-Language"] = query.language.rawValue
        return response
    }

    /// The idempotency key of a request that saves scans.
    ///
    /// - Throws: `HistoryError.idempotencyKeyReused` if another request had the key, for one photo or for a list.
    private func key(
        of request: Request, _ upload: PhotoUpload, _ query: ClassifyOptions
    ) async throws -> IdempotencyKey? {
        guard query.saves, let name = request.headers["Idempotency-Key"] else { return nil }
        let key = IdempotencyKey(name, request: query.digest(with: upload.photos))
        // A single photo uses the key itself, and a list uses keys made from it. The other form is looked up too.
        _ = try await key.earlierScan(in: history.scans, of: upload.photos[0])
        for index in 0..<(query.fuses ? 1 : upload.photos.count) {
            _ = try await key.of(photo: index).earlierScan(in: history.scans, of: upload.photos[index])
        }
        return key
    }

    /// An answer, and whether it was given before, under the same idempotency key.
    private typealias Answer = (representation: ScanRepresentation, isReplayed: Bool)

    /// The answer for one photo, or for several of the same animal. The first is the one that is saved.
    private func answer(
        _ photos: [[UInt8]], _ query: ClassifyOptions, _ deadline: ContinuousClock.Instant, _ request: Request,
        key: IdempotencyKey?, priority: Priority = .interactive
    ) async throws -> Answer {
        // This looks again, because another process may have answered a request with the same key since.
        if let earlier = try await key?.earlierScan(in: history.scans, of: photos[0]) {
            return try await replay(earlier, query)
        }
        let options = ClassificationOptions(
            crop: query.crop, priority: priority, deadline: deadline, head: query.requestedHead,
            requiredHeads: query.heads ?? [], copy: query.copy, usesMirror: query.usesMirror, animals: query.animals)
        let classification = try await recogniser.suggestingModels {
            try await recogniser.classify(fusing: photos, model: query.model, options: options)
        }
        metrics.photos.with(Self.kind(of: classification)).increment()
        if photos.count == 1, query.crop == nil {
            training?.shadow.take(classification, photo: photos[0], request: request.id)
        }
        var scan = Scan(classification, top: query.top, heads: query.heads, language: query.language)
        scan.image.original = query.original
        scan.request = key?.request
        scan.learnt = training?.learntAnswers(to: classification, top: query.top)
        guard query.saves else { return (represent(scan, seenBefore: nil, query), false) }
        let storing = ContinuousClock.now
        let saved = try await history.record(scan, photo: classification.storedCopy, idempotencyKey: key?.name)
        ActiveSpan.recordStage("store", from: storing, seconds: (ContinuousClock.now - storing) / .seconds(1))
        // Another request with the key was faster.
        if saved.scan.id != scan.id { return try await replay(saved.scan, query) }
        metrics.savedScan()
        return (represent(scan, seenBefore: saved.seenBefore, query), false)
    }

    private func replay(_ scan: Scan, _ query: ClassifyOptions) async throws -> Answer {
        let others = try await history.scans.scanIDs(withDigest: scan.image.sha256)
        return (represent(scan, seenBefore: others.filter { $0 < scan.id }, query), true)
    }

    private func represent(_ scan: Scan, seenBefore: [ULID]?, _ query: ClassifyOptions) -> ScanRepresentation {
        ScanRepresentation(
            answer: scan, seenBefore: seenBefore, showsHeads: query.heads != nil,
            names: encyclopaedia.names(in: query.language))
    }

    /// Cat, dog or other. The metrics' label needs a bounded set.
    private static func kind(of classification: Classification) -> String {
        classification.species == "cat" || classification.species == "dog" ? classification.species : "other"
    }
}
