import Base
import Connections
import Encyclopaedia
import Foundation
import HTTP
import Recognition
import Storage
import Training

/// `GET /history/export` and `POST /history/import`.
struct HistoryTransferEndpoints: Sendable {
    let history: HistoryStore
    let encyclopaedia: Encyclopaedia
    let recogniser: Recogniser
    /// The service that learns anew when names come in; nil without training.
    let individuals: IndividualService?
    let options: MenagerieAPI.Options
    private let seats = Seats(count: 1)

    /// The largest import, in bytes.
    private var maximumBytes: Int { options.maximumImportBytes ?? .max }

    func register(in router: inout Router) {
        router.get("/history/export", .asynchronous { try await export($0) })
        router.post("/history/import", bodyLimit: maximumBytes, .withoutQuery { try await add($0) })
    }

    private func export(_ request: Request) async throws -> Response {
        var reader = QueryReader(request)
        let language = try reader.language(of: request)
        let format = try reader.choice("format", of: HistoryFormat.self) ?? .jsonl
        let query = try reader.historyFilter()
        try reader.finish()
        // The trial answers 400 to a filter that the store refuses. Without it the download would break off.
        var trial = query
        trial.limit = 1
        let page = try await history.scans.page(trial)
        let day = Date().formatted(Date.ISO8601FormatStyle(timeZone: .gmt).year().month().day())
        var headers: HeaderFields = [
            "Content-Type": format.mediaType.description,
            "Content-Disposition": "attachment; filename=\"menagerie-history-\(day).\(format.fileExtension)\"",
            "Cache-Control": "no-store",
        ]
        if page.totalIsExact { headers["X-Total-Count"] = String(page.total) }
        return Response(
            headers: headers,
            body: .stream(length: nil) { writer in
                let write: HistoryStore.Writer = { try await writer.write($0) }
                switch format {
                case .csv:
                    try await history.exportCSV(
                        query, name: { encyclopaedia.name($0, from: .head($1), in: language) }, to: write)
                case .jsonl: try await history.exportLines(query, to: write)
                case .zip: try await history.exportArchive(query, to: write)
                case .megadetector:
                    try await history.exportTrapResults(query, encyclopaedia: encyclopaedia, to: write)
                }
            })
    }

    private func add(_ request: Request) async throws -> Response {
        let isArchive = try Self.isArchive(request)
        let offers: [MediaType] = [.json, .eventStream]
        guard let answer = Accept.best(of: offers, for: request.headers) else {
            throw ProblemDetails(.notAcceptable, detail: "An import answers application/json or text/event-stream.")
        }
        guard let seat = seats.take() else { throw ProblemDetails.overloaded(retryAfterSeconds: 5) }
        let source = try await receive(request.body, isArchive: isArchive)
        guard answer == .eventStream else {
            defer { seat.leave() }
            var report = ImportReport()
            try await run(source, &report) { _ in }
            return .bytes(try JSON.encode(report), type: .json)
        }
        return .events { send in
            defer { seat.leave() }
            return try await run(source, reporting: send)
        }
    }

    // MARK: Import

    /// Stores the body on the disk. An archive lists its files at its end, and its order may be changed by anyone who
    /// packs it anew.
    private func receive(_ body: RequestBody, isArchive: Bool) async throws -> HistoryImporter.Source {
        let file = try await history.makeSpooledFile(expected: body.contentLength)
        for try await chunk in body {
            // The body is unpacked here, so it may be longer than what was counted at reception.
            guard file.count <= maximumBytes - chunk.count else { throw RequestBodyError.tooLarge(limit: maximumBytes) }
            try await file.append(chunk)
        }
        return isArchive ? .archive(try await ImportArchive(file)) : .lines(file)
    }

    /// - Throws: a `ProblemDetails` that tells how far the import came.
    private func run(
        _ source: HistoryImporter.Source, _ report: inout ImportReport, _ progress: HistoryImporter.Progress
    ) async throws {
        // Scans from before a failure stay.
        defer { individuals?.changed() }
        do {
            try await HistoryImporter(history: history, storedCopy: storedCopy).run(source, &report, progress)
        } catch let error as any ProblemConvertible {
            throw error.problem.interrupting(report)
        }
        guard report.imported + report.skipped > 0 || report.failed == 0 else {
            throw ProblemDetails.nothingImported(report)
        }
    }

    /// Sends `progress` from time to time.
    ///
    /// - Returns: the report.
    private func run(
        _ source: HistoryImporter.Source, reporting send: @escaping @Sendable (String, [UInt8]) async throws -> Void
    ) async throws -> [UInt8] {
        let total = source.total
        try await send("progress", JSON.encode(ImportProgress(ImportReport(), total: total)))
        let last = Locked(ContinuousClock.now)
        var report = ImportReport()
        try await run(source, &report) { report in
            let isDue = last.withLock { last in
                guard .now - last >= .milliseconds(250) else { return false }
                last = .now
                return true
            }
            if isDue { try await send("progress", JSON.encode(ImportProgress(report, total: total))) }
        }
        return try JSON.encode(report)
    }

    /// Waits while others keep the decoding threads busy, because an import has time.
    private func storedCopy(of photo: [UInt8]) async throws -> [UInt8] {
        do {
            return try await Recogniser.patiently {
                try await recogniser.storedCopy(of: photo, keepingMetadata: options.keepsMetadata)
            }
        } catch let error as any ProblemConvertible where error.problem.status.code < 500 {
            throw ImportFailure.photo(error.problem.detail ?? error.problem.title)
        }
    }

    private static func isArchive(_ request: Request) throws -> Bool {
        let right = "application/zip or application/x-ndjson, as GET /history/export gives them."
        let accepted = "application/zip, application/x-ndjson"
        switch request.mediaType?.essence {
        case "application/zip", "application/x-zip-compressed": return true
        case "application/x-ndjson", "application/jsonl", "application/jsonlines": return false
        case "text/csv":
            throw ProblemDetails.unsupportedMediaType(
                "CSV leaves out half of what a scan knows and cannot be taken in again; send \(right)",
                accepted: accepted)
        default: throw ProblemDetails.unsupportedMediaType(of: request, send: right, accepted: accepted)
        }
    }
}

/// The progress of an import, as its events report it.
private struct ImportProgress: Encodable, Sendable {
    let processed: Int
    /// The number of all scans; absent if the file does not state it.
    let total: Int?
    let imported: Int
    let skipped: Int
    let failed: Int

    init(_ report: ImportReport, total: Int?) {
        processed = report.processed
        self.total = total
        imported = report.imported
        skipped = report.skipped
        failed = report.failed
    }
}

enum HistoryFormat: String, CaseIterable {
    /// One line per scan, for spreadsheets (RFC 4180).
    case csv
    /// One JSON object per line with all data, without photos.
    case jsonl
    /// The JSON lines and the photos.
    case zip
    /// Boxes in MegaDetector's format, for camera-trap programs. Photos have the names that they have in `zip`.
    case megadetector

    var mediaType: MediaType {
        switch self {
        case .csv: .csv
        // JSON lines have no registered media type. Most programs know this one.
        case .jsonl: MediaType("application", "x-ndjson")
        case .zip: .zip
        case .megadetector: .json
        }
    }

    var fileExtension: String { self == .megadetector ? "json" : rawValue }
}
