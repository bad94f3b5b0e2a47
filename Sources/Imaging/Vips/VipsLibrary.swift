import CVips
import CVipsLibrary
import Foundation
import Synchronization

/// Starts libvips when the first picture needs it, so a service that gets only plain JPEGs does not pay for it.
enum VipsLibrary {
    private static let wasStarted = Atomic(false)

    /// Whether libvips runs: without loaders for untrusted formats, with one thread per picture and no caches.
    static let isReady: Bool = {
        findModules()
        guard menagerie_vips_init("menagerie") == 0 else { return false }
        vips_block_untrusted_set(1)
        // Warnings about broken files would fill standard error, and real failures come back as errors.
        g_log_set_handler("VIPS", G_LOG_LEVEL_WARNING, { _, _, _, _ in }, nil)
        // Several photos at a time give enough parallelism, and the operation cache would keep whole photos in memory.
        vips_concurrency_set(1)
        vips_cache_set_max(0)
        vips_cache_set_max_mem(0)
        vips_cache_set_max_files(0)
        wasStarted.store(true, ordering: .releasing)
        return true
    }()

    /// Points `VIPSHOME` at the program's own libvips, if it has one. Scripts/package puts the loader of HEIC and AVIF
    /// in `lib` beside the program's folder.
    private static func findModules() {
        guard let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else { return }
        let libraries = URL(fileURLWithPath: program).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("lib").path
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: libraries)) ?? []
        let holdsModules = folders.contains { folder in
            let names = try? FileManager.default.contentsOfDirectory(atPath: "\(libraries)/\(folder)")
            return names?.contains { $0.hasPrefix("vips-modules-") } ?? false
        }
        if holdsModules { setenv("VIPSHOME", libraries, 0) }
    }

    /// The first line of the error buffer as an error. It empties the buffer. All threads share the buffer, so under
    /// load the text may belong to another photo, and the kind of error does not depend on it.
    static func failure() -> ImagingError {
        guard let buffer = vips_error_buffer_copy() else { return .corrupt("libvips gave no reason") }
        defer { g_free(buffer) }
        let line = String(cString: buffer).split(separator: "\n").first.map(String.init) ?? "libvips gave no reason"
        return .corrupt(line.trimmingCharacters(in: CharacterSet(charactersIn: " .")))
    }

    /// Ends libvips' bookkeeping of the calling thread. Threads that decode call it before they end.
    static func endThread() {
        if wasStarted.load(ordering: .acquiring) { vips_thread_shutdown() }
    }
}
