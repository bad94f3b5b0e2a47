import Base
import Encyclopaedia
import HTTP
import History
import Recognition

/// `GET /history/export` and `POST /history/import`.
final class HistoryTransferEndpoints: Sendable {
    private let history: HistoryStore
    private let encyclopaedia: Encyclopaedia
    private let importer: HistoryImporter
    /// Largest import in bytes; it lies in memory while it is taken in.
    private let maximumBytes: Int
    private let isImporting = Locked(false)

    init(history: HistoryStore, encyclopaedia: Encyclopaedia, recogniser: Recogniser, options: MenagerieAPI.Options) {
        self.history = history
        self.encyclopaedia = encyclopaedia
        maximumBytes = options.maximumUploadBytes
        importer = HistoryImporter(
            history: history, recogniser: recogniser, keepsMetadata: options.keepsMetadata)
    }

    func register(in router: inout Router) {
        router.get("/history/export", .asynchronous { try await self.export($0) })
        router.post("/history/import", .asynchronous { try await self.add($0) })
    }

    private func export(_ request: Request) async throws -> Response {
        var reader = QueryReader(request)
        let language = try reader.language(of: request)
        let format = try reader.choice("format", of: HistoryFormat.self) ?? .jsonl
        let query = try reader.historyFilter()
        try reader.finish()
        // A filter that the store refuses is a 400 rather than a broken download.
        var trial = query
        trial.limit = 1
        _ = try await history.scans.page(trial)
        let exporter = HistoryExporter(
            history: history, names: LabelNames(encyclopaedia: encyclopaedia, language: language))
        return Response(
            headers: [
                "Content-Type": format.mediaType.description,
                "Content-Disposition": "attachment; filename=\"menagerie-history.\(format.rawValue)\"",
                "Cache-Control": "no-store",
            ],
            body: .stream(length: nil) { try await exporter.write(format, query, to: $0) })
    }

    private func add(_ request: Request) async throws -> Response {
        try QueryReader(request).finish()
        let isArchive = try Self.isArchive(request)
        let isFree = isImporting.withLock { isImporting in
            defer { isImporting = true }
            return !isImporting
        }
        guard isFree else { throw Problem(.overloaded(retryAfterSeconds: 5)) }
        defer { isImporting.withLock { $0 = false } }
        let bytes = try await request.body.collect(upTo: maximumBytes)
        let report: ImportReport
        do {
            report = try await isArchive ? importer.importArchive(bytes) : importer.importLines(bytes)
        } catch let error as ZIPError {
            throw Problem(.malformedBody(error.description))
        }
        guard report.imported + report.skipped > 0 || report.failed == 0 else {
            throw Problem(.nothingImported(report))
        }
        return .bytes(try JSON.encode(report), type: .json)
    }

    private static func isArchive(_ request: Request) throws -> Bool {
        let field = request.headers["Content-Type"]
        switch field.flatMap({ MediaType($0) })?.essence {
        case "application/zip", "application/x-zip-compressed": return true
        case "application/x-ndjson", "application/jsonl", "application/jsonlines": return false
        case "text/csv":
            throw Problem(
                .unsupportedMediaType(
                    "CSV leaves out half of what a scan knows and cannot be taken in again; send application/zip or "
                        + "application/x-ndjson, as GET /history/export gives them.",
                    accepted: "application/zip, application/x-ndjson"))
        default:
            throw Problem(
                .unsupportedMediaType(
                    "The Content-Type is \(field.map { "“\($0.prefix(80))”" } ?? "missing"); send application/zip or "
                        + "application/x-ndjson, as GET /history/export gives them.",
                    accepted: "application/zip, application/x-ndjson"))
        }
    }
}
