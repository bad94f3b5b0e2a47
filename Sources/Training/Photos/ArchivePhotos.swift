package import Base

/// Photos in a ZIP or TAR archive, with one folder for each class.
package struct ArchivePhotos: PhotoSource {
    package enum Kind: String, Codable, Sendable {
        case zip, tar
    }

    private enum Reader {
        case zip(ZIPReader)
        case tar(TARReader)
    }

    private let reader: Reader
    private let limits: TrainingLimits

    /// - Throws: ``ArchiveError`` if the archive is invalid.
    package init(_ source: any ArchiveSource, kind: Kind, limits: TrainingLimits) async throws {
        switch kind {
        case .zip: reader = .zip(try await ZIPReader(source))
        case .tar: reader = .tar(try await TARReader(source))
        }
        self.limits = limits
    }

    package func catalogue(_ limits: TrainingLimits) async throws -> PhotoCatalogue {
        var catalogue = PhotoCatalogue(limits: limits)
        switch reader {
        case .zip(let zip):
            try await zip.forEachEntry { entry, position in
                // Folders have entries of their own, which are skipped.
                guard !entry.name.hasSuffix("/") else { return }
                try catalogue.add(path: entry.name, size: entry.size, place: position)
            }
        case .tar(let tar):
            for (place, entry) in tar.entries.enumerated() {
                let name = entry.name.hasPrefix("./") ? String(entry.name.dropFirst(2)) : entry.name
                try catalogue.add(path: name, size: entry.size, place: place)
            }
        }
        return catalogue
    }

    package func bytes(of photo: TrainingPhoto) async throws -> [UInt8] {
        do {
            switch reader {
            case .zip(let zip):
                return try await zip.contents(of: zip.entry(at: photo.place), limit: limits.photoBytes)
            case .tar(let tar):
                return try await tar.contents(of: tar.entries[photo.place], limit: limits.photoBytes)
            }
        } catch let error as ArchiveError {
            throw SkipReason.packed(error)
        }
    }
}
