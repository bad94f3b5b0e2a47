import Base
import Encyclopaedia
import Foundation
import HTTP
import History
import Imaging
import Recognition
import ServiceContextModule
import Metrics
import Telemetry
import Training

/// `POST /classify`: one photo or several in, what they show out, saved unless the request says otherwise.
///
/// With an `Idempotency-Key` a repeated request answers the scan that was saved the first time; one with other photos or
/// options is refused. In a form with several photos each has a key of its own: the request's with `#` and the photo's
/// place, counted from 0.
struct ClassifyEndpoint: Sendable {
    let recogniser: Recogniser
    let encyclopaedia: Encyclopaedia
    let history: HistoryStore
    let metrics: ServiceMetrics
    let readiness: Readiness
    /// What was learnt here; nil: nothing is.
    let training: TrainingService?
    let options: MenagerieAPI.Options

    func register(in router: inout Router) {
        router.post("/classify", .guarded(check: checkRoom, handler: { try await classify($0) }))
    }

    /// A photo for which there is no place is refused before it is read. A repeated request may be answered from the
    /// history, which needs no place.
    private func checkRoom(for request: Request) throws {
        guard !request.headers.contains("Idempotency-Key") else { return }
        try recogniser.checkRoom { request.query["model"] }
    }

    private func classify(_ request: Request) async throws -> Response {
        let query = try ClassifyOptions(request, defaults: options)
        let received = ContinuousClock.now
        let upload = try await PhotoUpload(request, limit: options.maximumUploadBytes)
        ServiceContext.recordStage("receive", from: received, seconds: (ContinuousClock.now - received) / .seconds(1))
        let key = try await key(of: request, upload, query)
        let deadline = try request.deadline(within: options.requestTimeout)
        let names = LabelNames(encyclopaedia: encyclopaedia, language: query.language)
        var response: Response
        if upload.isList && !query.fuses {
            let results = try await PhotoResults(of: upload.photos) { photo, index in
                let answer = try await answer(
                    [photo], query, deadline, request, key: key?.of(photo: index), priority: .bulk)
                return ClassificationRepresentation(answer, names: names)
            }
            response = .bytes(try JSON.encode(results), type: .json)
        } else {
            let answer = try await answer(upload.photos, query, deadline, request, key: key)
            response = .bytes(
                try JSON.encode(ClassificationRepresentation(answer, names: names)), type: .json)
            if answer.isSaved { response.headers["Content-Location"] = "/history/\(answer.scan.id)" }
            response.headers["Server-Timing"] = answer.serverTiming
            if answer.isReplayed { response.headers["Idempotent-Replayed"] = "true" }
        }
        response.headers["Cache-Control"] = "no-store"
        response.headers["Content-Language"] = query.language.rawValue
        return response
    }

    /// What names a request whose scans are saved.
    ///
    /// - Throws: `HistoryError.idempotencyKeyReused` where another request had the name, in whatever form its photos came.
    private func key(
        of request: Request, _ upload: PhotoUpload, _ query: ClassifyOptions
    ) async throws -> IdempotencyKey? {
        guard query.saves, let name = request.headers["Idempotency-Key"] else { return nil }
        let key = IdempotencyKey(name: name, given: name, request: query.digest(with: upload.photos))
        let isList = upload.isList && !query.fuses
        // One photo alone goes by the name itself, those of a list by its parts: the other kind is looked up, too.
        for other in isList ? [key] + upload.photos.indices.map(key.of) : [key, key.of(photo: 0)] {
            _ = try await earlier(of: other, upload.photos[other.photo ?? 0])
        }
        return key
    }

    /// The scan that the request has made already; nil where there is none.
    ///
    /// - Throws: `HistoryError.idempotencyKeyReused` where another request made it.
    private func earlier(of key: IdempotencyKey, _ photo: [UInt8]) async throws -> Scan? {
        guard let earlier = try await history.scans.scan(idempotencyKey: key.name) else { return nil }
        let isSame = earlier.request.map { $0 == key.request } ?? (earlier.image.sha256 == ContentDigest(of: photo))
        guard isSame else { throw HistoryError.idempotencyKeyReused(key.given) }
        return earlier
    }

    /// One answer, of one photo or of several that show the same animal; the first is the one that is kept.
    private func answer(
        _ photos: [[UInt8]], _ query: ClassifyOptions, _ deadline: ContinuousClock.Instant, _ request: Request,
        key: IdempotencyKey?, priority: Priority = .interactive
    ) async throws -> ClassifiedPhoto {
        // Asked again: another replica may have answered one with the same key since.
        if let key, let earlier = try await earlier(of: key, photos[0]) { return try await replay(earlier, query) }
        let classification = try await classification(
            of: photos, query.model,
            ClassificationOptions(
                crop: query.crop, priority: priority, deadline: deadline, head: query.requestedHead,
                requiredHeads: query.requiredHeads, copy: query.copy, usesMirror: query.usesMirror,
                animals: query.animals))
        metrics.photos.with(Self.kind(of: classification)).increment()
        if photos.count == 1, query.crop == nil {
            training?.shadow.take(classification, photo: photos[0], request: request.id)
        }
        var scan = NewScan(classification, query)
        scan.request = key?.request
        scan.learnt = training.flatMap { LearntAnswers($0, to: classification, top: query.top) }
        var answer = ClassifiedPhoto(scan: scan, isSaved: false, showsHeads: query.heads != nil)
        guard query.saves else { return answer }
        let storing = ContinuousClock.now
        let saved = try await history.record(scan, photo: classification.storedCopy, idempotencyKey: key?.name)
        ServiceContext.recordStage("store", from: storing, seconds: (ContinuousClock.now - storing) / .seconds(1))
        // Another request with the key was quicker.
        if saved.scan.id != scan.id { return try await replay(saved.scan, query) }
        metrics.scansSaved.increment()
        answer.isSaved = true
        answer.seenBefore = saved.seenBefore
        return answer
    }

    private func classification(
        of photos: [[UInt8]], _ model: String?, _ options: ClassificationOptions
    ) async throws -> Classification {
        try await recogniser.suggestingModels {
            try await recogniser.classify(fusing: photos, model: model, options: options)
        }
    }

    private func replay(_ scan: Scan, _ query: ClassifyOptions) async throws -> ClassifiedPhoto {
        let others = try await history.scans.scanIDs(withDigest: scan.image.sha256)
        return ClassifiedPhoto(
            scan: scan.recognition, isSaved: true, showsHeads: query.heads != nil, isReplayed: true,
            seenBefore: others.filter { $0 < scan.id })
    }

    /// Cat, dog or other: a bounded set for the metrics' label.
    private static func kind(of classification: Classification) -> String {
        classification.species == "cat" || classification.species == "dog" ? classification.species : "other"
    }
}

/// The name that a client gave its request, and what that request is.
private struct IdempotencyKey {
    let name: String
    /// The key as the request has it.
    let given: String
    /// See ``ClassifyOptions/digest(with:)``.
    let request: ContentDigest
    /// Place of the one photo of several that is meant.
    var photo: Int?

    func of(photo index: Int) -> IdempotencyKey {
        // No longer than a name may be.
        let base = name.utf8.count <= 240 ? name : ContentDigest(of: Array(name.utf8)).hexadecimal
        return IdempotencyKey(name: "\(base)#\(index)", given: given, request: request, photo: index)
    }
}
