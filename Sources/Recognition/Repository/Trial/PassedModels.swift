import Base
import FoundationEssentials

/// The models that passed their trial: an empty file for each, named after the SHA-256 of the trial's inputs.
final class PassedModels: Sendable {
    private let directory: String?
    private let known = Locked<Set<String>>([])

    init(directory: String?) { self.directory = directory }

    func contains(_ manifest: ModelManifest) -> Bool {
        let name = Self.name(of: manifest)
        if known.withLock({ $0.contains(name) }) { return true }
        guard let directory, FileManager.default.fileExists(atPath: "\(directory)/\(name)") else { return false }
        known.withLock { _ = $0.insert(name) }
        return true
    }

    /// If the folder is not writable, the next start tries the model again.
    func insert(_ manifest: ModelManifest) {
        let name = Self.name(of: manifest)
        known.withLock { _ = $0.insert(name) }
        guard let directory else { return }
        try? FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        _ = FileManager.default.createFile(atPath: "\(directory)/\(name)", contents: Data())
    }

    /// Loading checks that the files have these digests. The memory of a network also depends on the size of its input.
    private static func name(of manifest: ModelManifest) -> String {
        let parts =
            ["1", manifest.sha256.lowercased(), manifest.weightsSHA256 ?? ""]
            + (manifest.cascade?.digests ?? [""]) + ["\(manifest.input)", "\(manifest.precision ?? .automatic)"]
            + manifest.outputTensors
        return ContentDigest(of: Array(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8)).hexadecimal
    }
}

/// The models that came with the program, by the SHA-256 of their files. They need no trial. A test fails if a file
/// under `Models/` is missing here.
enum ShippedModels {
    static let digests: Set = [
        // menagerie/cats.onnx
        "af4a76873cf1397df9a3dc2667bc153046583bb5b2aa20bd8d2e68e21bb9d577",
        // menagerie/dogs.onnx
        "dba8e24ebe2625eec94d3cdb283dbb41df33b049686ce168634db70b07c15a36",
        // menagerie/menagerie.onnx
        "c958b9e00d7221abfbfa3634063eee433cb6f26b01c173de8007162b3d40a4c5",
        // menagerie/second.onnx
        "58d8e8c4c12edbb9786fae4453d3104f858b1a725820ba30eb81a188755e7cf5",
        // menagerie_boxes/menagerie_boxes.onnx
        "68d231f9e256c1560ab4b7754c169da170854415ce1698a8812eafb7f62bdef1",
    ]

    static func includes(_ manifest: ModelManifest) -> Bool {
        ([manifest.sha256, manifest.weightsSHA256].compactMap(\.self) + (manifest.cascade?.digests ?? [])).allSatisfy {
            digests.contains($0.lowercased())
        }
    }
}
