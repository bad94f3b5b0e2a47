import Base
import Foundation
import Learning

/// Features that were computed before, by the digest of the photo, the model's file and the view. A training that is
/// repeated or resumed reuses them.
///
/// A damaged file counts as missing.
package struct FeatureCache: Sendable {
    /// The data of one photo in one view.
    struct Entry: Equatable {
        let hash: PerceptualHash
        let features: [Float]
    }

    let directory: String
    /// The size limit in bytes. The oldest entries are removed first.
    let limit: Int
    private let pool = BlockingPool(label: "menagerie.training.features", width: 2, maximumPending: .max)

    /// One entry for each view. Nil if one is missing.
    /// - Parameters:
    ///   - photo: the digest of the file as received.
    ///   - model: the SHA-256 of the network, together with everything else that determines its features.
    func entries(of photo: ContentDigest, model: String, views: [String]) async -> [Entry]? {
        await pool.runIfRoom { self.read(views, photo, model) } ?? nil
    }

    /// Stores the entries. A full disk causes no error; the features are then computed again.
    /// - Parameter entries: one entry for each view.
    func store(_ entries: [Entry], of photo: ContentDigest, model: String, views: [String]) async {
        _ = await pool.runIfRoom {
            for (view, entry) in zip(views, entries) { self.write(entry, of: photo, model: model, view: view) }
        }
    }

    private func read(_ views: [String], _ photo: ContentDigest, _ model: String) -> [Entry]? {
        var entries: [Entry] = []
        for view in views {
            guard let entry = entry(of: photo, model: model, view: view) else { return nil }
            entries.append(entry)
        }
        return entries
    }

    private func entry(of photo: ContentDigest, model: String, view: String) -> Entry? {
        let path = path(photo, model, view)
        guard let data = FileManager.default.contents(atPath: path), data.count >= 40 + 4, data.count % 4 == 0 else {
            return nil
        }
        let bytes = [UInt8](data)
        guard ContentDigest(of: Array(bytes[32...])).bytes.elementsEqual(bytes[..<32]) else { return nil }
        let hash = bytes[32..<40].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let features = bytes.withUnsafeBytes { bytes in
            stride(from: 40, to: bytes.count, by: 4).map { bytes.loadUnaligned(fromByteOffset: $0, as: Float.self) }
        }
        return Entry(hash: PerceptualHash(bits: hash), features: features)
    }

    private func write(_ entry: Entry, of photo: ContentDigest, model: String, view: String) {
        let path = path(photo, model, view)
        var body = (0..<8).map { UInt8(truncatingIfNeeded: entry.hash.bits >> UInt64(56 - 8 * $0)) }
        entry.features.withUnsafeBytes { body.append(contentsOf: $0) }
        let url = URL(filePath: path)
        try? FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        // The file is written in place, because 2,000 renames take a second. A reader recognises
        // a half-written file by its digest.
        try? Data(ContentDigest(of: body).bytes + body).write(to: url)
    }

    /// Removes the oldest entries beyond the limit.
    func trim() async { _ = await pool.runIfRoom { FileSystem.removeOldest(in: directory, beyond: limit) } }

    private func path(_ photo: ContentDigest, _ model: String, _ view: String) -> String {
        let key = ContentDigest(of: Array("\(photo) \(model) \(view)".utf8)).hexadecimal
        return "\(directory)/\(key.prefix(2))/\(key)"
    }
}
