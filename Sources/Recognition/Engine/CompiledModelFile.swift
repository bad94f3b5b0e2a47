import Base
import COpenVINO
import FoundationEssentials
import Glibc
import Imaging

/// A compiled model in a file, so that the next start need not compile it. That takes 0.25 s instead of 1.6 s for int8
/// weights with two towers on two cores.
///
/// The file is OpenVINO's export followed by the export's SHA-256, because OpenVINO does not check it for damage. The
/// file's name is the SHA-256 of everything that the compilation depends on. A missing, damaged or refused file, or a
/// folder that is not writable, only costs time.
struct CompiledModelFile: Sendable {
    /// The most files in a folder. The least recently used ones are removed.
    static let capacity = 16

    private let directory: String
    private let name: String
    private var path: String { "\(directory)/\(name)" }

    /// - Parameters:
    ///   - directory: created when a file is stored, but only inside an existing folder.
    ///   - causes: everything that the compilation depends on besides OpenVINO, this program and the machine, as texts.
    init(directory: String, core: OpenVINOHandle, causes: [String]) throws(RecognitionError) {
        let machine = try ["FULL_DEVICE_NAME", "OPTIMIZATION_CAPABILITIES"].map { key throws(RecognitionError) in
            try OpenVINO.property(key, of: core)
        }
        let everything = [try OpenVINO.version(), Self.program] + machine + causes
        self.directory = directory
        // Each part has its length before it, so that different lists never give the same text.
        let text = everything.map { "\($0.utf8.count):\($0)" }.joined(separator: "\n")
        name = ContentDigest(of: Array(text.utf8)).hexadecimal + ".compiled"
    }

    /// The stored model, compiled for this machine. Nil if there is no intact file.
    func read(with core: OpenVINOHandle) -> OpenVINOHandle? {
        // The imported model refers to this memory for as long as it lives.
        guard let file = MappedFile(path), file.bytes.count > Self.digestLength else { return nil }
        let content = UnsafeRawBufferPointer(rebasing: file.bytes.dropLast(Self.digestLength))
        guard Self.digest(of: content).elementsEqual(file.bytes.suffix(Self.digestLength)) else { return nil }
        let free: @Sendable (OpaquePointer) -> Void = { model in
            withExtendedLifetime(file) { ov_compiled_model_free(model) }
        }
        do throws(RecognitionError) {
            let compiled = try OpenVINOHandle("import \(path)", free: free) { out in
                ov_core_import_model(
                    core.pointer, content.baseAddress?.assumingMemoryBound(to: CChar.self), content.count, "CPU", out)
            }
            utimes(path, nil)
            // The engine has copied the weights. The pages of the file may leave memory. The kernel reads them again if
            // the engine needs them after all.
            file.forget()
            return compiled
        } catch {
            return nil
        }
    }

    /// Stores a model. The file is written beside its place and renamed, so that no start finds half of it. Of
    /// concurrent writers, the last one wins.
    ///
    /// - Returns: whether it was stored.
    func write(_ compiled: OpenVINOHandle) -> Bool {
        mkdir(directory, 0o700)
        let partial = "\(path).\(ULID.next()).partial"
        let isWhole = ov_compiled_model_export_model(compiled.pointer, partial) == OK && Self.seal(partial)
        guard isWhole, rename(partial, path) == 0 else {
            unlink(partial)
            return false
        }
        removeOldest()
        return true
    }

    private func removeOldest() {
        let manager = FileManager.default
        let files = FileSystem.names(in: directory).map { "\(directory)/\($0)" }
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

    /// Appends the digest of a file's content.
    private static func seal(_ path: String) -> Bool {
        guard let content = FileManager.default.contents(atPath: path), !content.isEmpty,
            let file = fopen(path, "ab")
        else { return false }
        let digest = Array(content.withUnsafeBytes { Self.digest(of: $0) })
        let written = fwrite(digest, 1, digest.count, file)
        return fclose(file) == 0 && written == digest.count
    }

    /// Identifies this build of the program, because the compiled model depends on the code that prepares the network.
    private static let program: String = {
        var status = stat()
        guard stat("/proc/self/exe", &status) == 0 else { return "" }
        return "\(status.st_size) \(status.st_mtim.tv_sec) \(status.st_mtim.tv_nsec)"
    }()
}

extension OpenVINO {
    /// The version of OpenVINO's build.
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

/// A file's content in memory, read when it is touched.
private final class MappedFile: Sendable {
    nonisolated(unsafe) let bytes: UnsafeRawBufferPointer

    /// Nil if the file cannot be read or is empty.
    init?(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size > 0,
            let address = mmap(nil, Int(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0), address != MAP_FAILED
        else { return nil }
        bytes = UnsafeRawBufferPointer(start: address, count: Int(status.st_size))
    }

    /// Gives the memory back to the kernel. The next access reads the file again.
    func forget() {
        madvise(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count, Int32(MADV_DONTNEED))
    }

    deinit { munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count) }
}
