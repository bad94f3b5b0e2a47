import Archives
import Base
import Connections
import Foundation
import HTTP
import History
import JSONStream

/// Writes the history in one of its formats, a page of scans at a time.
///
/// The archive contains `scans/000001.jsonl` and so on, each with up to 100 scans, after their photos `photos/<scan
/// id>.jpg`. `manifest.json` comes last and describes the content.
struct HistoryExporter: Sendable {
    let history: HistoryStore
    let names: LabelNames

    func write(_ format: HistoryFormat, _ query: HistoryQuery, to writer: ResponseBodyWriter) async throws {
        switch format {
        case .csv:
            try await writer.write(Array(HistoryCSV.header.utf8))
            let csv = HistoryCSV(names: names)
            try await eachPage(query) { scans in
                try await writer.write(scans.flatMap { Array(csv.line($0).utf8) })
            }
        case .jsonl:
            try await eachPage(query) { try await writer.write(Self.lines($0)) }
        case .zip:
            try await writeArchive(query, to: writer)
        case .megadetector:
            try await writeTrapResults(query, to: writer)
        }
    }

    private func writeTrapResults(_ query: HistoryQuery, to writer: ResponseBodyWriter) async throws {
        var results = TrapResults(
            encyclopaedia: names.encyclopaedia, detector: "menagerie history", classifier: "menagerie")
        try await writer.write(Array(results.beginning.utf8))
        try await eachPage(query) { scans in
            let text = scans.map { results.image(TrapEntry($0), file: "photos/\($0.id).jpg") }.joined()
            try await writer.write(Array(text.utf8))
        }
        try await writer.write(Array(results.end.utf8))
    }

    private func writeArchive(_ query: HistoryQuery, to writer: ResponseBodyWriter) async throws {
        var archive = ZIPWriter()
        var number = 0
        var manifest = ExportManifest(createdAt: Date(), isFiltered: query != HistoryQuery())
        try await eachPage(query) { scans in
            var kept: [Scan] = []
            for var scan in scans {
                if let photo = try await photo(of: scan) {
                    try await writer.write(archive.entry("photos/\(scan.id).jpg", photo, modified: scan.createdAt))
                    manifest.photos += 1
                } else {
                    manifest.lostPhotos += scan.photo == nil ? 0 : 1
                    scan.photo = nil
                }
                kept.append(scan)
            }
            number += 1
            manifest.scans += scans.count
            let name = "scans/" + String(repeating: "0", count: max(0, 6 - String(number).count)) + "\(number).jsonl"
            let newest = scans.first?.createdAt ?? Date()
            try await writer.write(archive.entry(name, try Self.lines(kept), modified: newest))
        }
        if !manifest.isFiltered {
            manifest.favourites = try await history.scans.favourites().reversed().map(\.articleID)
        }
        let description = try manifest.encoded()
        try await writer.write(archive.entry(ExportManifest.fileName, description, modified: manifest.createdAt))
        try await writer.write(archive.finish())
    }

    /// The photo; nil if none was kept, or if it is lost. A lost photo does not stop the export.
    private func photo(of scan: Scan) async throws -> [UInt8]? {
        guard let digest = scan.photo?.digest else { return nil }
        do throws(HistoryError) {
            return try await history.photos.read(digest)
        } catch {
            switch error {
            case .missingPhoto, .corruptPhoto: return nil
            default: throw error
            }
        }
    }

    private func eachPage(_ query: HistoryQuery, _ body: ([Scan]) async throws -> Void) async throws {
        var query = query
        query.limit = HistoryQuery.limits.upperBound
        repeat {
            let page = try await history.scans.page(query)
            if !page.items.isEmpty { try await body(page.items) }
            query.cursor = page.nextCursor
        } while query.cursor != nil
    }

    private static func lines(_ scans: [Scan]) throws -> [UInt8] {
        let encoder = JSONStreamEncoder()
        return try scans.flatMap { try encoder.encode($0) + [UInt8(ascii: "\n")] }
    }
}
