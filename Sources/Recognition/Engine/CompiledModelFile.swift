import Base
import COpenVINO
import FoundationEssentials
import Glibc
import Imaging

/// A compiled model kept in a file, so that the next start need not compile it: 0.25 s instead of 1.6 s for int8 weights
/// with two towers on two cores.
///
/// The file is OpenVINO's export followed by the export's SHA-256, since OpenVINO reads a damaged one unchecked. Its name
/// is the SHA-256 of everything that the compilation depends on. A file that is missing, damaged or refused costs time
/// and nothing else, as does a folder that cannot be written.
struct CompiledModelFile: Sendable {
    /// Files that a folder keeps; the least recently used make room.
    static let capacity = 16

    private let directory: String
    private let name: String
    private var path: String { "\(directory)/\(name)" }

    /// - Parameters:
    ///   - directory: made when something is kept, within a folder that is there: a command that only asks a model
    ///     something leaves nothing behind where nobody keeps data.
    ///   - causes: what the compilation depends on beside OpenVINO, this program and the machine, each as text.
    init(directory: String, core: OpenVINOHandle, causes: [String]) throws(RecognitionError) {
        let machine = try ["FULL_DEVICE_NAME", "OPTIMIZATION_CAPABILITIES"].map { key throws(RecognitionError) in
            try OpenVINO.property(key, of: core)
        }
        let everything = [try OpenVINO.version(), Self.program] + machine + causes
        self.directory = directory
        // Each part with its length, so that no two lists read the same.
        let text = everything.map { "\($0.utf8.count):\($0)" }.joined(separator: "\n")
        name = ContentDigest(of: Array(text.utf8)).hexadecimal + ".compiled"
    }

    /// What was kept, compiled for this machine; nil where there is nothing sound.
    func read(with core: OpenVINOHandle) -> OpenVINOHandle? {
        guard let file = FileManager.default.contents(atPath: path), file.count > Self.digestLength else { return nil }
        let content = file.dropLast(Self.digestLength)
        guard content.withUnsafeBytes({ Self.digest(of: $0) }).elementsEqual(file.suffix(Self.digestLength)) else {
            return nil
        }
        // The imported model goes on reading its weights from here, so this memory is freed with it.
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: content.count, alignment: 4096)
        content.copyBytes(to: memory)
        let free: @Sendable (OpaquePointer) -> Void = { [address = UInt(bitPattern: memory.baseAddress)] model in
            ov_compiled_model_free(model)
            UnsafeMutableRawPointer(bitPattern: address)?.deallocate()
        }
        do throws(RecognitionError) {
            let compiled = try OpenVINOHandle("import \(path)", free: free) { out in
                ov_core_import_model(
                    core.pointer, memory.baseAddress?.assumingMemoryBound(to: CChar.self), memory.count, "CPU", out)
            }
            utimes(path, nil)
            return compiled
        } catch {
            memory.deallocate()
            return nil
        }
    }

    /// Keeps a model: written beside its place and renamed, so that no start finds half of it. Who compiles the same at the
    /// same time writes a file of its own, and the last one stays.
    func write(_ compiled: OpenVINOHandle) {
        mkdir(directory, 0o700)
        let partial = "\(path).\(ULID.next()).partial"
        let isWhole = ov_compiled_model_export_model(compiled.pointer, partial) == OK && Self.seal(partial)
        guard isWhole, rename(partial, path) == 0 else {
            unlink(partial)
            return
        }
        removeOldest()
    }

    private func removeOldest() {
        let manager = FileManager.default
        let files = ((try? manager.contentsOfDirectory(atPath: directory)) ?? []).map { "\(directory)/\($0)" }
        let dated = files.map { file in
            (file, (try? manager.attributesOfItem(atPath: file))?[.modificationDate] as? Date ?? .distantPast)
        }
        for (file, _) in dated.sorted(by: { $0.1 > $1.1 }).dropFirst(Self.capacity) { unlink(file) }
    }

    // MARK: The digest at the end

    private static let digestLength = 64

    private static func digest(of bytes: UnsafeRawBufferPointer) -> String.UTF8View {
        ContentDigest(of: bytes).hexadecimal.utf8
    }

    /// Appends the digest of what a file holds.
    private static func seal(_ path: String) -> Bool {
        guard let content = FileManager.default.contents(atPath: path), !content.isEmpty,
            let file = fopen(path, "ab")
        else { return false }
        let digest = Array(content.withUnsafeBytes { Self.digest(of: $0) })
        let written = fwrite(digest, 1, digest.count, file)
        return fclose(file) == 0 && written == digest.count
    }

    /// Tells one build of this program from another: what is compiled depends on the code that prepares the network.
    private static let program: String = {
        var status = stat()
        guard stat("/proc/self/exe", &status) == 0 else { return "" }
        return "\(status.st_size) \(status.st_mtim.tv_sec) \(status.st_mtim.tv_nsec)"
    }()
}

extension OpenVINO {
    /// OpenVINO's build.
    fileprivate static func version() throws(RecognitionError) -> String {
        var version = ov_version_t()
        try check("OpenVINO's version", ov_get_openvino_version(&version))
        defer { ov_version_free(&version) }
        return version.buildNumber.map { String(cString: $0) } ?? ""
    }

    /// A property of the CPU device.
    fileprivate static func property(_ key: String, of core: OpenVINOHandle) throws(RecognitionError) -> String {
        var text: UnsafeMutablePointer<CChar>?
        try check(key, ov_core_get_property(core.pointer, "CPU", key, &text))
        defer { ov_free(text) }
        return text.map { String(cString: $0) } ?? ""
    }
}
