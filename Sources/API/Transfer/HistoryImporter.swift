import Foundation
import HTTP
import History
import Recognition

/// Takes scans in that ``HistoryExporter`` wrote. Each scan is taken whole or not at all; what is wrong with one does
/// not keep the others out.
struct HistoryImporter: Sendable {
    /// Longest line, in bytes.
    private static let lineLimit = 1 << 20
    /// Largest file of an archive, unpacked, in bytes.
    private static let fileLimit = 32 << 20
    /// Scans taken at the same time, which share the flushes of the disk.
    private static let width = 8

    let history: HistoryStore
    let recogniser: Recogniser
    /// Whether photos keep the place, time and camera that they were exported with.
    let keepsMetadata: Bool

    /// - Throws: ``ZIPError``, and what concerns all scans alike, such as a full disk.
    func importArchive(_ bytes: [UInt8]) async throws -> ImportReport {
        let archive = try ZIPReader(bytes)
        let photos = Dictionary(
            archive.entries.filter { $0.name.hasPrefix("photos/") }.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        let files = archive.entries.filter { $0.name.hasSuffix(".jsonl") }
        guard !files.isEmpty else { throw ZIPError.unsupported("it has no file of scans such as scans/000001.jsonl") }
        var report = ImportReport()
        for file in files {
            let lines = try archive.contents(of: file, limit: Self.fileLimit)
            try await add(lines, of: " of \(file.name)", to: &report) { scan in
                guard scan.photo != nil else { return nil }
                let name = "photos/\(scan.id).jpg"
                guard let entry = photos[name] else { throw ZIPError.damaged("\(name) is missing") }
                return try archive.contents(of: entry, limit: Self.fileLimit)
            }
        }
        return report
    }

    /// JSON lines have no photos.
    func importLines(_ bytes: [UInt8]) async throws -> ImportReport {
        var report = ImportReport()
        try await add(bytes, of: "", to: &report) { _ in nil }
        return report
    }

    // MARK: Parts

    private func add(
        _ bytes: [UInt8], of file: String, to report: inout ImportReport,
        photo: @escaping @Sendable (Scan) throws -> [UInt8]?
    ) async throws {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
            .filter { !$0.element.allSatisfy { $0 == 0x20 || $0 == 0x0D || $0 == 0x09 } }
        for start in stride(from: 0, to: lines.count, by: Self.width) {
            let group = lines[start..<min(start + Self.width, lines.count)]
            let outcomes = try await withThrowingTaskGroup(of: (Int, ImportReport.Outcome).self) { tasks in
                for (number, line) in group {
                    tasks.addTask { (number, try await self.outcome(of: line, photo: photo)) }
                }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            for (number, outcome) in outcomes.sorted(by: { $0.0 < $1.0 }) {
                report.add(outcome, at: "line \(number + 1)\(file)")
            }
        }
    }

    /// - Throws: what would befall the other scans as well.
    private func outcome(
        of line: ArraySlice<UInt8>, photo: @Sendable (Scan) throws -> [UInt8]?
    ) async throws -> ImportReport.Outcome {
        guard line.count <= Self.lineLimit else { return .failed("the line has more than \(Self.lineLimit) bytes") }
        let scan: Scan
        do {
            scan = try JSONDecoder().decode(Scan.self, from: Data(line))
        } catch {
            return .failed(Self.explanation(of: error))
        }
        do {
            var stored: [UInt8]?
            if let bytes = try photo(scan) {
                stored =
                    try await recogniser.storedCopy(of: bytes, keepingMetadata: keepsMetadata)
            }
            return try await history.insert(scan, photo: stored) ? .imported : .skipped
        } catch let error as ZIPError {
            return .failed(error.description)
        } catch let error as HistoryError {
            guard case .invalid = error else { throw error }
            return .failed(error.description)
        } catch let error as any ProblemConvertible where error.problem.status.code < 500 {
            return .failed("its photo: \(error.problem.detail ?? error.problem.title)")
        }
    }

    private static func explanation(of error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, _): "“\(key.stringValue)” is missing"
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            "“\(context.codingPath.map(\.stringValue).joined(separator: "."))” is of the wrong kind"
        case DecodingError.dataCorrupted(let context):
            context.codingPath.isEmpty ? "the line is no JSON object" : context.debugDescription
        default: "the line is no scan"
        }
    }
}
