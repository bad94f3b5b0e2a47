import Base
import Foundation

/// The formats of an exported history. Each is written a page of scans at a time.
extension HistoryStore {
    package typealias Writer = ([UInt8]) async throws -> Void

    /// Writes lines for spreadsheets.
    ///
    /// - Parameter name: gives a label of a head its name.
    package func exportCSV(
        _ query: HistoryQuery, name: (_ label: String, _ head: String) -> String, to write: Writer
    ) async throws {
        try await write(Array(HistoryCSV.header.utf8))
        try await exportPages(query) { scans in
            try await write(scans.flatMap { Array(HistoryCSV.line($0, name: name).utf8) })
        }
    }

    /// Writes one JSON object per line with all data of a scan, without its photo.
    package func exportLines(_ query: HistoryQuery, to write: Writer) async throws {
        try await exportPages(query) { try await write(Self.lines($0)) }
    }

    /// Writes a ZIP archive of the JSON lines and the photos.
    ///
    /// It contains `scans/000001.jsonl` and so on, each with up to 100 scans, after their photos `photos/<scan
    /// id>.jpg`. `manifest.json` comes last and describes the content.
    package func exportArchive(_ query: HistoryQuery, to write: Writer) async throws {
        var archive = ZIPWriter()
        var number = 0
        var manifest = ExportManifest(createdAt: Date(), isFiltered: query != HistoryQuery())
        try await exportPages(query) { page in
            var scans = page
            for index in scans.indices {
                let scan = scans[index]
                // A lost photo does not stop the export.
                if let digest = scan.photo?.digest, let photo = try await photos.readIfIntact(digest) {
                    try await write(archive.entry("photos/\(scan.id).jpg", photo, modified: scan.createdAt))
                    manifest.photos += 1
                } else {
                    manifest.lostPhotos += scan.photo == nil ? 0 : 1
                    scans[index].photo = nil
                }
            }
            number += 1
            manifest.scans += scans.count
            let name = String(format: "scans/%06ld.jsonl", number)
            let newest = scans.first?.createdAt ?? Date()
            try await write(archive.entry(name, try Self.lines(scans), modified: newest))
        }
        if !manifest.isFiltered {
            manifest.favourites = try await scans.favourites().reversed().map(\.articleID)
        }
        try await write(archive.entry(ExportManifest.fileName, try manifest.encoded(), modified: manifest.createdAt))
        try await write(archive.finish())
    }

    /// Reads all scans of a query, a page at a time.
    package func exportPages(_ query: HistoryQuery, _ body: ([Scan]) async throws -> Void) async throws {
        var query = query
        query.limit = HistoryQuery.limits.upperBound
        repeat {
            let page = try await scans.page(query)
            if !page.items.isEmpty { try await body(page.items) }
            query.cursor = page.nextCursor
        } while query.cursor != nil
    }

    private static func lines(_ scans: [Scan]) throws -> [UInt8] {
        let encoder = JSONStreamEncoder()
        return try scans.flatMap { try encoder.encode($0) + [UInt8(ascii: "\n")] }
    }
}

/// Scans as lines of RFC 4180. The first line has the names of the columns.
enum HistoryCSV {
    static let header =
        "id,created_at,species,label,name,confidence,label_2,confidence_2,label_3,confidence_3,abstained,"
        + "corrected_label,note,head,model,model_version,width,height,format,sha256,photo_url,individual\r\n"

    /// - Parameter name: gives a label of a head its name.
    static func line(_ scan: Scan, name: (_ label: String, _ head: String) -> String) -> String {
        var fields = [scan.id.description, scan.createdAt.rfc3339, scan.species]
        for rank in 0..<3 {
            let prediction = scan.predictions.dropFirst(rank).first
            fields.append(prediction?.label ?? "")
            if rank == 0 { fields.append(prediction.map { name($0.label, scan.head) } ?? "") }
            fields.append(prediction.map { String($0.confidence) } ?? "")
        }
        fields += [String(scan.abstained), scan.correctedLabel ?? "", scan.note ?? "", scan.head]
        fields += [scan.model.name, scan.model.version, String(scan.image.width), String(scan.image.height)]
        fields += [scan.image.format, scan.image.sha256.description]
        fields.append(scan.photo.map { _ in "/history/\(scan.id)/photo" } ?? "")
        fields.append(scan.individual ?? "")
        return CSVText.line(fields)
    }
}
