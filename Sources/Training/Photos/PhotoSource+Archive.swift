package import Base

extension PhotoSource {
    package enum Archive: String, Codable, Sendable {
        case zip, tar
    }

    /// Photos in an archive, with one folder for each class.
    ///
    /// - Throws: ``ArchiveError`` if the archive is invalid, ``TrainingError`` if it exceeds a limit.
    package init(_ archive: any ArchiveSource, _ kind: Archive, limits: TrainingLimits) async throws {
        var catalogue = PhotoCatalogue(limits: limits)
        let contents: @Sendable (TrainingPhoto) async throws -> [UInt8]
        switch kind {
        case .zip:
            let zip = try await ZIPReader(archive)
            try await zip.forEachEntry { entry, position in
                // Folders have entries of their own, which are skipped.
                guard !entry.name.hasSuffix("/") else { return }
                try catalogue.add(path: entry.name, size: entry.size, place: position)
            }
            contents = { try await zip.contents(of: zip.entry(at: $0.place), limit: limits.photoBytes) }
        case .tar:
            let tar = try await TARReader(archive)
            for (place, entry) in tar.entries.enumerated() {
                let name = entry.name.hasPrefix("./") ? String(entry.name.dropFirst(2)) : entry.name
                try catalogue.add(path: name, size: entry.size, place: place)
            }
            contents = { try await tar.contents(of: tar.entries[$0.place], limit: limits.photoBytes) }
        }
        self.init(catalogue: catalogue) { photo in
            do {
                return try await contents(photo)
            } catch let error as ArchiveError {
                throw SkipReason.packed(error)
            }
        }
    }
}
