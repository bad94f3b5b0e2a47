import Dispatch

/// The descriptors that libdispatch opens when they are first needed: an epoll instance, a timer for each clock, and the
/// event descriptor of the main queue. Where the process has none left at that moment, libdispatch ends it; so they are
/// opened before the first connection can take the last one, and stay open.
enum DispatchDescriptors {
    /// Opens them, once in a process. Blocks for some milliseconds, until the timers have fired.
    static func open() { opened }

    private static let opened: Void = {
        // Work for the main queue opens its descriptor, whether or not anybody drains that queue.
        DispatchQueue.main.async {}
        let group = DispatchGroup()
        let queue = DispatchQueue(label: "menagerie.http.timers")
        let soon = DispatchTimeInterval.milliseconds(1)
        // CLOCK_MONOTONIC, CLOCK_REALTIME, and the CLOCK_BOOTTIME of `Task.sleep`.
        group.enter()
        queue.asyncAfter(deadline: .now() + soon) { group.leave() }
        group.enter()
        queue.asyncAfter(wallDeadline: .now() + soon) { group.leave() }
        group.enter()
        Task {
            try? await Task.sleep(for: .milliseconds(1))
            group.leave()
        }
        // The task may have no thread to run on while the caller holds it.
        _ = group.wait(timeout: .now() + .milliseconds(500))
    }()
}
