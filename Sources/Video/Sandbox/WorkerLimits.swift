import CSystemCalls
import Foundation
import Glibc

/// What keeps a worker from doing more than decode.
enum WorkerLimits {
    /// Takes rights and resources away from this process, for good.
    static func apply(_ order: WorkerOrder) throws(VideoError) {
        let limits = order.limits
        let isWriter: Bool
        if case .annotate = order.command { isWriter = true } else { isWriter = false }
        try set(RLIMIT_CORE, 0)
        try set(RLIMIT_NOFILE, 64)
        try set(RLIMIT_FSIZE, isWriter ? limits.outputBytes : 0)
        // What the program maps before it has begun is not the video's.
        try set(RLIMIT_AS, mappedBytes() + limits.memory)
        // A camera is watched for as long as somebody wants to.
        if !order.command.opensAddress { try set(RLIMIT_CPU, max(1, limits.processorTime), grace: 5) }
        guard menagerie_no_new_privileges() == 0 else { throw .system("no_new_privs: errno \(errno)") }
        if order.command.opensAddress { return }
        // Kernels without seccomp and containers that forbid it are left with the other limits.
        _ = menagerie_deny_system_calls()
    }

    /// Has the process end as soon as nobody reads its messages any more: the service that asked for them is gone.
    static func endWithReader(of descriptor: CInt) {
        let thread = Thread {
            while true {
                var poller = pollfd(fd: descriptor, events: 0, revents: 0)
                if poll(&poller, 1, -1) > 0, poller.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 { _exit(0) }
            }
        }
        thread.stackSize = 1 << 17
        thread.start()
    }

    /// - Parameter grace: by which the limit that kills lies above the one that sends a signal of its own.
    private static func set(_ name: __rlimit_resource, _ value: Int, grace: Int = 0) throws(VideoError) {
        let resource = __rlimit_resource_t(name.rawValue)
        var limit = rlimit(rlim_cur: rlim_t(value), rlim_max: rlim_t(value + grace))
        var current = rlimit()
        getrlimit(resource, &current)
        limit.rlim_max = min(limit.rlim_max, current.rlim_max)
        limit.rlim_cur = min(limit.rlim_cur, limit.rlim_max)
        guard setrlimit(resource, &limit) == 0 else { throw .system("setrlimit: errno \(errno)") }
    }

    private static func mappedBytes() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").first.flatMap { Int($0) } ?? 1 << 19
        return pages * Int(getpagesize())
    }
}
