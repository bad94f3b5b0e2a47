import Dispatch

/// The descriptors that Dispatch opens when it first needs them: an epoll instance, a timer for each clock, and the
/// event descriptor of the main queue.
enum DispatchDescriptors {
    /// Makes Dispatch open its descriptors before clients can use them up. Dispatch ends the process if it cannot open
    /// one. This happens once in a process.
    static let reserved = Task {
        // Work for the main queue opens its descriptor, even if nobody drains that queue.
        DispatchQueue.main.async {}
        // The sleep has to be long enough that the timers are armed.
        let moment = Duration.milliseconds(5)
        async let continuous: Void? = try? Task.sleep(for: moment, clock: .continuous)
        async let suspending: Void? = try? Task.sleep(for: moment, clock: .suspending)
        async let wall: Void = withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(wallDeadline: .now() + .milliseconds(5)) { continuation.resume() }
        }
        _ = await (continuous, suspending, wall)
    }
}
