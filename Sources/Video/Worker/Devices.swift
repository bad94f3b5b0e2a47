import Glibc

/// FFmpeg's library for local cameras. It depends on much that servers lack, so it is loaded on demand.
enum Devices {
    private static let names = ["libavdevice.so.59", "libavdevice.so.60", "libavdevice.so.61", "libavdevice.so.62"]

    static func load() throws(VideoError) {
        for name in names {
            guard let library = dlopen(name, RTLD_NOW | RTLD_GLOBAL) else { continue }
            guard let symbol = dlsym(library, "avdevice_register_all") else { continue }
            unsafeBitCast(symbol, to: (@convention(c) () -> Void).self)()
            return
        }
        throw .unreachable("Cameras of this machine need FFmpeg's library libavdevice, which is not installed.")
    }
}
