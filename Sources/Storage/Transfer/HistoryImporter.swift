import Base
import Foundation

/// Imports scans from an exported history. Each scan is imported whole or not at all, and an error in one does
/// not stop the others. After an interrupted import, the same file completes it.
package struct HistoryImporter: Sendable {
    /// The longest line, in bytes.
    private static let lineLimit = 1 << 20
    /// The bytes of JSON lines that are read at once.
    private static let blockSize = 256 * 1024
    /// The number of scans imported at a time, which share the flushes of the disk.
    private static let width = 8
    /// The number of scans between two progress reports.
    private static let stepLength = 32

    /// A received file.
    package enum Source: Sendable {
        case archive(ImportArchive)
        /// JSON lines, which have no photos.
        case lines(SpooledFile)

        /// The number of scans, if the file states it.
        package var total: Int? {
            if case .archive(let archive) = self { archive.manifest?.scans } else { nil }
        }
    }

    /// Gets the report after every few scans.
    package typealias Progress = @Sendable (ImportReport) async throws -> Void
    private typealias Photo = @Sendable (Scan) async throws -> [UInt8]?

    private let history: HistoryStore
    private let storedCopy: @Sendable ([UInt8]) async throws -> [UInt8]

    /// - Parameter storedCopy: makes the copy of a photo that the history stores. It throws ``ImportFailure`` for a
    ///   photo that cannot be read.
    package init(history: HistoryStore, storedCopy: @escaping @Sendable ([UInt8]) async throws -> [UInt8]) {
        self.history = history
        self.storedCopy = storedCopy
    }

    /// - Throws: `ArchiveError`, and errors that concern all scans, such as a full disk. The report then has the
    ///   scans before.
    package func run(_ source: Source, _ report: inout ImportReport, _ progress: Progress) async throws {
        switch source {
        case .archive(let archive): try await importArchive(archive, &report, progress)
        case .lines(let file): try await importLines(file, &report, progress)
        }
    }

    // MARK: Parts

    private func importArchive(
        _ archive: ImportArchive, _ report: inout ImportReport, _ progress: Progress
    ) async throws {
        for position in archive.files {
            let file = try await archive.reader.entry(at: position)
            let contents = try await archive.reader.contents(of: file, limit: ImportArchive.fileLimit)
            var lines = LineSplitter(limit: Self.lineLimit)
            try await add(lines.feed(contents) + lines.finish(), of: file.name, &report, progress) { scan in
                scan.photo == nil ? nil : try await archive.photo(of: scan.id)
            }
        }
        var present = Set(try await history.scans.favourites().map(\.articleID))
        for article in archive.manifest?.favourites ?? [] where present.insert(article).inserted {
            try await history.scans.setFavourite(article, true)
            report.favourites += 1
        }
    }

    private func importLines(_ file: SpooledFile, _ report: inout ImportReport, _ progress: Progress) async throws {
        var lines = LineSplitter(limit: Self.lineLimit)
        for start in stride(from: 0, to: file.count, by: Self.blockSize) {
            let block: [UInt8] = try await file.bytes(at: start, count: Self.blockSize)
            try await add(lines.feed(block), of: nil, &report, progress) { _ in nil }
        }
        try await add(lines.finish(), of: nil, &report, progress) { _ in nil }
    }

    private func add(
        _ lines: [LineSplitter.Line], of file: String?, _ report: inout ImportReport, _ progress: Progress,
        photo: @escaping Photo
    ) async throws {
        for start in stride(from: 0, to: lines.count, by: Self.stepLength) {
            try Task.checkCancellation()
            let step = lines[start..<min(start + Self.stepLength, lines.count)]
            let outcomes = try await step.concurrentMap(atOnce: Self.width) {
                try await self.outcome(of: $0, photo: photo)
            }
            for (line, outcome) in zip(step, outcomes) {
                report.add(outcome, at: ImportReport.Place(line: line.number, file: file))
            }
            try await progress(report)
        }
    }

    /// - Throws: errors that concern the other scans as well.
    private func outcome(of line: LineSplitter.Line, photo: Photo) async throws -> ImportReport.Outcome {
        guard let bytes = line.bytes else { return .failed(.lineTooLong(limit: Self.lineLimit)) }
        // The decoder takes UTF-16, too, where the end of a line is half a character and all others are misread.
        if bytes.contains(0) { return .failed(.noObject) }
        let scan: Scan
        do {
            scan = try JSONDecoder().decode(Scan.self, from: Data(bytes))
        } catch {
            return .failed(ImportFailure(error))
        }
        do {
            // A known scan is not unpacked, so sending a file again costs little.
            let isThere = ImportReport.Outcome.skipped(id: scan.id.description)
            if try await history.holds(scan.id, withPhoto: scan.photo != nil) { return isThere }
            var stored: [UInt8]?
            if let bytes = try await photo(scan) { stored = try await storedCopy(bytes) }
            return try await history.insert(scan, photo: stored) ? .imported : isThere
        } catch let error as ArchiveError {
            return .failed(ImportFailure(error))
        } catch let error as HistoryError {
            guard let failure = ImportFailure(error) else { throw error }
            return .failed(failure)
        } catch let failure as ImportFailure {
            return .failed(failure)
        }
    }
}
