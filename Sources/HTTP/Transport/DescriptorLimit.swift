import Glibc

/// The number of descriptors that the process may have open.
enum DescriptorLimit {
    /// The descriptors for listeners, loops, files and databases.
    private static let others = 1024

    /// Raises the soft limit, which is 1024 on most systems, as far as the connections need and the hard limit allows.
    static func raise(forConnections connections: Int) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        let wanted = min(limit.rlim_max, rlim_t(connections + others))
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = wanted
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
