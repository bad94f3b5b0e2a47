import CSystemCalls

/// What the C library does with memory that was given back to it.
package enum FreedMemory {
    /// Keeps up to 16 MiB at the end of each of its arenas for what comes next, and takes blocks below 1 MiB from there.
    ///
    /// By default it hands the end of an arena back to the kernel above 128 KiB, so that every large upload is received into
    /// pages that the kernel has to find and clear anew: more than half of what a 200 KB upload cost. For the whole process,
    /// so it is for a program to decide, at its start.
    package static func keep() {
        _ = mallopt(M_TRIM_THRESHOLD, 16 << 20)
        _ = mallopt(M_MMAP_THRESHOLD, 1 << 20)
    }
}
