import Base
import Foundation

/// The description of an archive, in its file `manifest.json`.
struct ExportManifest: Codable, Sendable {
    static let fileName = "manifest.json"
    /// The format that marks an archive as ours.
    static let name = "menagerie-history"
    static let currentVersion = 1

    /// The format's name, `menagerie-history`.
    var format = ExportManifest.name
    /// The version. It rises when older releases of Menagerie can no longer read the archive.
    var version = ExportManifest.currentVersion
    var createdAt: Date
    var scans = 0
    var photos = 0
    /// The number of scans whose photo is lost.
    var lostPhotos = 0
    /// Whether a filter chose the scans.
    var isFiltered = false
    /// The ids of favourite articles, oldest first; empty if a filter chose the scans.
    var favourites: [String] = []

    private enum CodingKeys: String, CodingKey {
        case format, version, scans, photos, favourites
        case createdAt = "created_at"
        case lostPhotos = "lost_photos"
        case isFiltered = "filtered"
    }

    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
    }

    /// Reads a manifest; nil for a file of that name from another program.
    /// - Throws: ``ArchiveError`` for a newer version.
    init?(_ bytes: [UInt8]) throws {
        struct Name: Decodable {
            let format: String
            let version: Int
        }
        guard let name = try? JSONDecoder().decode(Name.self, from: Data(bytes)), name.format == Self.name else {
            return nil
        }
        guard name.version <= Self.currentVersion else {
            throw ArchiveError.unsupported("a newer version of Menagerie wrote it")
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        do {
            self = try decoder.decode(Self.self, from: Data(bytes))
        } catch {
            throw ArchiveError.damaged("its manifest.json is not in order")
        }
        guard favourites.allSatisfy(ScanUpdate.isLabel) else {
            throw ArchiveError.damaged("a favourite in its manifest.json is not the id of an article")
        }
    }

    init(createdAt: Date, isFiltered: Bool) {
        self.createdAt = createdAt
        self.isFiltered = isFiltered
    }
}
