import Base
import Foundation
import Imaging

/// Downloads a model file into the folder of models, with progress and resumption. The model is checked and then put in
/// place as a whole or not at all.
///
/// The file stays in `<models>/.pull/` until it is complete, its checksum is right and its network answers a picture.
/// Then its folder is renamed into place, so that the service never sees half a model.
package struct ModelDownload: Sendable {
    package struct Result: Sendable {
        package let folder: String
        package let manifest: ModelManifest
        package let bytes: Int
    }

    /// The bytes on the disk, and the total if the server states it.
    package typealias Progress = @Sendable (_ received: Int, _ total: Int?) -> Void

    /// The most tries. A broken connection is retried only if it delivered bytes.
    private static let attempts = 5

    let url: URL
    let file: String
    let name: String
    let version: String
    /// Lower-case hexadecimal. Nil if nobody states one; the result then tells it.
    let sha256: String?
    let directory: String
    private let labels: (url: URL, sha256: String)?
    private let redirection: Redirection
    private let inspection: ModelInspection

    /// - Parameters:
    ///   - name: nil derives it from the file's name.
    ///   - labels: the list of labels that is stored beside the model.
    ///   - directory: the folder of models.
    ///   - allowsPrivate: whether redirections may lead to this machine and to private networks.
    ///   - inspection: inspects the downloaded file.
    package init(
        address: String, name: String? = nil, version: String = "1", sha256: String?,
        labels: PublicModels.LabelList? = nil, into directory: String, allowsPrivate: Bool = false,
        inspection: ModelInspection = .here
    ) throws(ModelDownloadError) {
        guard let url = URL(string: address), Redirection.schemes.contains(url.scheme?.lowercased() ?? ""),
            url.host != nil, let file = Self.fileName(url.lastPathComponent),
            let format = ModelFormat(fileName: file), format != .openvino
        else { throw .address(address) }
        self.url = url
        self.file = file
        redirection = Redirection(from: url, allowsPrivate: allowsPrivate)
        self.inspection = inspection
        self.name = name ?? ManifestProposal.name(from: file)
        guard ModelReference.isName(self.name), ModelReference.isVersion(version) else {
            throw .address("\(self.name)@\(version)")
        }
        self.version = version
        self.sha256 = sha256?.lowercased()
        self.directory = directory
        self.labels = try labels.map { labels throws(ModelDownloadError) in
            guard let url = URL(string: labels.url) else { throw .address(labels.url) }
            return (url, labels.sha256)
        }
    }

    /// The stored name of a file. Characters other than letters, digits, `.`, `_` and `-` become `_`.
    ///
    /// - Parameter name: the percent-decoded name in the address, which may contain anything.
    /// - Returns: nil for an empty name, a path, or a name that begins with a full stop.
    static func fileName(_ name: String) -> String? {
        guard !name.hasPrefix("."), (1...128).contains(name.utf8.count),
            !name.unicodeScalars.contains(where: { $0 == "/" || $0 == "\\" || $0.value < 0x20 || $0.value == 0x7F })
        else { return nil }
        return String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) ? $0 : "_" })
    }

    /// Blocks until the model is in place.
    ///
    /// - Throws: ``ModelDownloadError``. The models are then unchanged; only the partial file remains.
    package func run(progress: @escaping Progress = { _, _ in }) throws(ModelDownloadError) -> Result {
        let target = "\(directory)/\(name)/\(version)"
        guard !FileManager.default.fileExists(atPath: target) else { throw .exists(target) }
        let work = "\(directory)/.pull/\(name)@\(version)"
        try disk { try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true) }
        var parts = [try fetched(url, as: file, sha256: sha256, in: work, progress)]
        let bytes = parts[0].count
        if let labels {
            parts.append(try fetched(labels.url, as: "labels.txt", sha256: labels.sha256, in: work) { _, _ in })
        }
        let manifest = try place(parts, in: work, at: target)
        return Result(folder: target, manifest: manifest, bytes: bytes)
    }

    /// Fetches a file to `work`/`name`.part and compares its checksum.
    private func fetched(
        _ url: URL, as name: String, sha256: String?, in work: String, _ progress: @escaping Progress
    ) throws(ModelDownloadError) -> PartialFile {
        let part = PartialFile(path: "\(work)/\(name).part", address: url.absoluteString)
        var attempt = 1
        while true {
            let before = part.count
            do throws(ModelDownloadError) {
                try DownloadSession(url: url, part: part, redirection: redirection, progress: progress).run()
                break
            } catch {
                guard case .connection = error, part.count > before, attempt < Self.attempts else { throw error }
                attempt += 1
            }
        }
        let found = try part.checksum()
        if let sha256, found != sha256 {
            try? FileManager.default.removeItem(atPath: work)
            throw .checksum(found: found, expected: sha256)
        }
        return part
    }

    /// - Parameter parts: the model's file, then its list of labels if there is one.
    private func place(
        _ parts: [PartialFile], in work: String, at target: String
    ) throws(ModelDownloadError) -> ModelManifest {
        let folder = "\(work)/model"
        try? FileManager.default.removeItem(atPath: folder)
        try disk {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for (part, name) in zip(parts, [file, "labels.txt"]) {
                try FileManager.default.moveItem(atPath: part.path, toPath: "\(folder)/\(name)")
            }
        }
        let proposal: ManifestProposal
        do {
            proposal = try inspection.inspect("\(folder)/\(file)", name, version, LoadTicket())
        } catch {
            try? FileManager.default.removeItem(atPath: work)
            throw .unusable("\(error)")
        }
        try disk {
            try DurableFile.replace("\(folder)/manifest.json", with: Array(try proposal.manifest.json()))
            try FileManager.default.createDirectory(atPath: "\(directory)/\(name)", withIntermediateDirectories: true)
            try FileManager.default.moveItem(atPath: folder, toPath: target)
            try FileSystem.synchronizeDirectory("\(directory)/\(name)")
        }
        try? FileManager.default.removeItem(atPath: work)
        return proposal.manifest
    }

    private func disk(_ work: () throws -> Void) throws(ModelDownloadError) {
        do { try work() } catch { throw .disk((error as? FileError)?.description ?? error.localizedDescription) }
    }
}
