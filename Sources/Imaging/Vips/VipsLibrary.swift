import CVips
import CVipsLibrary
import Foundation
import Synchronization

/// Starts libvips when the first picture needs it: a service that only sees plain JPEGs never pays for it.
enum VipsLibrary {
    private static let wasStarted = Atomic(false)

    /// True once libvips runs, with its loaders for untrusted formats blocked, one thread a picture and no caches.
    static let isReady: Bool = {
        findModules()
        guard menagerie_vips_init("menagerie") == 0 else { return false }
        vips_block_untrusted_set(1)
        // Warnings about broken files would fill standard error; what matters comes back as an error.
        g_log_set_handler("VIPS", G_LOG_LEVEL_WARNING, { _, _, _, _ in }, nil)
        // Parallelism comes from several photos at a time; the operation cache would keep whole photos alive.
        vips_concurrency_set(1)
        vips_cache_set_max(0)
        vips_cache_set_max_mem(0)
        vips_cache_set_max_files(0)
        wasStarted.store(true, ordering: .releasing)
        return true
    }()

    /// A package that brings its own libvips has the loader of HEIC and AVIF in `lib` beside the program's folder, as
    /// Scripts/package lays it; libvips looks below `VIPSHOME`.
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

    /// The error buffer's first line as an error, emptied. The buffer is shared by all threads, so that under load
    /// the words may be another photo's; the kind of error is not taken from them.
    static func failure() -> ImagingError {
        guard let buffer = vips_error_buffer_copy() else { return .corrupt("libvips gave no reason") }
        defer { g_free(buffer) }
        let line = String(cString: buffer).split(separator: "\n").first.map(String.init) ?? "libvips gave no reason"
        return .corrupt(line.trimmingSuffix(of: " ."))
    }

    /// Ends libvips' bookkeeping of the calling thread; threads that decode call it before they end.
    static func endThread() {
        if wasStarted.load(ordering: .acquiring) { vips_thread_shutdown() }
    }
}

extension String {
    /// Without any of these characters at the end.
    fileprivate func trimmingSuffix(of characters: String) -> String {
        var trimmed = self[...]
        while let last = trimmed.last, characters.contains(last) { trimmed.removeLast() }
        return String(trimmed)
    }
}
