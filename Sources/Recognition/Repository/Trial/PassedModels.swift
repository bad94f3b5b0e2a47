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
        "6fe9a906c701b27ed9a55b8d4cf831ba111cdf41d9c0910bbbb883b9fff96a05",
        // menagerie/dogs.onnx
        "a0668ccba070e6cdef31f79306579ac192660a7cca75ffc0f6e3e44b7538cccb",
        // menagerie/menagerie.onnx
        "1d0fc521f3531a5e6e85cd0d4fa25e0ce6141f928a750b9ed535a7542c873dca",
        // menagerie/second.onnx
        "cdf8e5a18f4e4cf0c585aba798d880506c2dca42b9545e5a154eb954cf00bb36",
        // menagerie_boxes/menagerie_boxes.onnx
        "68d231f9e256c1560ab4b7754c169da170854415ce1698a8812eafb7f62bdef1",
    ]

    static func includes(_ manifest: ModelManifest) -> Bool {
        ([manifest.sha256, manifest.weightsSHA256].compactMap(\.self) + (manifest.cascade?.digests ?? [])).allSatisfy {
            digests.contains($0.lowercased())
        }
    }
}
