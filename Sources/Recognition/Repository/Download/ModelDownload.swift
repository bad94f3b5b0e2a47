import Foundation
import Imaging

/// Fetches a model file into the folder of models: with progress, resumed where it broke off, checked, and put in place
/// as a whole or not at all.
///
/// What has come lies in `<models>/.pull/` until the file is whole, its checksum right and its network answers a picture;
/// then its folder is renamed into place, so that the service never sees half a model.
package struct ModelDownload: Sendable {
    /// What came of it.
    package struct Result: Sendable {
        /// The model's folder.
        package let folder: String
        package let manifest: ModelManifest
        package let bytes: Int
    }

    /// Bytes on disk, and how many there are to be if the server says.
    package typealias Progress = @Sendable (_ received: Int, _ total: Int?) -> Void

    /// Times that a broken connection is taken up again as long as bytes come.
    private static let attempts = 5

    let url: URL
    let file: String
    let name: String
    let version: String
    /// Lower-case hexadecimal; nil: nobody states one, and the result tells it.
    let sha256: String?
    let directory: String
    private let redirection: Redirection
    private let inspection: ModelInspection

    /// - Parameters:
    ///   - name: nil: made from the file's name.
    ///   - directory: the folder of models.
    ///   - allowsPrivate: whether the server may send us on to addresses of this machine and of private networks.
    ///   - inspection: looks into the file that came.
    /// - Throws: ``ModelDownloadError``.
    package init(
        address: String, name: String? = nil, version: String = "1", sha256: String?, into directory: String,
        allowsPrivate: Bool = false, inspection: ModelInspection = .here
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
    }

    /// The name that a file gets: its own, of letters, digits, `.`, `_` and `-`, with `_` for all others.
    ///
    /// - Parameter name: as the address has it, percent-decoded, so that it may hold anything.
    /// - Returns: nil for a name that is a path, or that begins with a point.
    static func fileName(_ name: String) -> String? {
        guard !name.hasPrefix("."), name.utf8.count <= 128,
            !name.unicodeScalars.contains(where: { $0 == "/" || $0 == "\\" || $0.value < 0x20 || $0.value == 0x7F })
        else { return nil }
        return String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) ? $0 : "_" })
    }

    /// Blocks until the model is in place.
    ///
    /// - Throws: ``ModelDownloadError``; nothing in the folder of models is then different, but for what came so far.
    package func run(progress: @escaping Progress = { _, _ in }) throws(ModelDownloadError) -> Result {
        let target = "\(directory)/\(name)/\(version)"
        guard !FileManager.default.fileExists(atPath: target) else { throw .exists(target) }
        let work = "\(directory)/.pull/\(name)@\(version)"
        try disk { try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true) }
        let part = PartialFile(path: "\(work)/\(file).part", address: url.absoluteString)
        try fetch(part, progress)
        let bytes = part.count
        let found = try part.checksum()
        if let sha256, found != sha256 {
            try? FileManager.default.removeItem(atPath: work)
            throw .checksum(found: found, expected: sha256)
        }
        let manifest = try place(part, in: work, at: target)
        return Result(folder: target, manifest: manifest, bytes: bytes)
    }

    private func fetch(_ part: PartialFile, _ progress: @escaping Progress) throws(ModelDownloadError) {
        var attempt = 1
        while true {
            let before = part.count
            do throws(ModelDownloadError) {
                return try DownloadSession(url: url, part: part, redirection: redirection, progress: progress).run()
            } catch {
                guard case .connection = error, part.count > before, attempt < Self.attempts else { throw error }
                attempt += 1
            }
        }
    }

    private func place(
        _ part: PartialFile, in work: String, at target: String
    ) throws(ModelDownloadError) -> ModelManifest {
        let folder = "\(work)/model"
        try? FileManager.default.removeItem(atPath: folder)
        try disk {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try FileManager.default.moveItem(atPath: part.path, toPath: "\(folder)/\(file)")
        }
        let proposal: ManifestProposal
        do {
            proposal = try inspection.inspect("\(folder)/\(file)", name, version, LoadTicket())
        } catch {
            try? FileManager.default.removeItem(atPath: work)
            throw .unusable("\(error)")
        }
        try disk {
            try proposal.json().write(to: URL(filePath: "\(folder)/manifest.json"))
            try FileManager.default.createDirectory(
                atPath: "\(directory)/\(name)", withIntermediateDirectories: true)
            try FileManager.default.moveItem(atPath: folder, toPath: target)
        }
        try? FileManager.default.removeItem(atPath: work)
        return proposal.manifest
    }

    private func disk(_ work: () throws -> Void) throws(ModelDownloadError) {
        do { try work() } catch { throw .disk("\(error.localizedDescription)") }
    }
}
