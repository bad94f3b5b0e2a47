internal import Glibc

/// The kernel's clocks (clock_gettime(2)), in nanoseconds.
package enum KernelClock {
    /// The time since 1970.
    package static var sinceEpoch: UInt64 { nanoseconds(of: CLOCK_REALTIME) }

    /// The time of a clock that never goes back.
    package static var monotonic: UInt64 { nanoseconds(of: CLOCK_MONOTONIC) }

    /// The processor time that this process has spent.
    package static var ofProcess: UInt64 { nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID) }

    private static func nanoseconds(of clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
