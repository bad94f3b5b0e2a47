import CSystemCalls
import Glibc

/// The C library's treatment of freed memory.
package enum FreedMemory {
    /// Keeps up to 16 MiB of freed memory at the end of each arena, and takes blocks below 1 MiB from there.
    ///
    /// By default the C library returns the end of an arena to the kernel above 128 KiB. Every large upload then gets
    /// pages that the kernel has to find and clear anew, which was more than half of the cost of a 200 KB upload. The
    /// setting holds for the whole process, so a program decides about it at its start.
    ///
    /// One arena for each core, instead of eight, is enough for threads that seldom allocate at the same time. More of
    /// them leave more gaps: 20 MiB after the networks have been compiled on two cores.
    package static func keep() {
        _ = mallopt(M_TRIM_THRESHOLD, 16 << 20)
        _ = mallopt(M_MMAP_THRESHOLD, 1 << 20)
        _ = mallopt(M_ARENA_MAX, CInt(clamping: sysconf(CInt(_SC_NPROCESSORS_ONLN))))
    }
}
