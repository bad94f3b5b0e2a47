import Dispatch

/// The descriptors of Dispatch's timers, one for each clock.
enum DispatchTimers {
    /// Dispatch takes them when a timer is first armed, and ends the process where there are none left: so they are taken
    /// before clients can use up what there is. Once in a process.
    static let reserved = Task {
        // Long enough that the timers have to be armed.
        let moment = Duration.milliseconds(20)
        async let continuous: Void? = try? Task.sleep(for: moment, clock: .continuous)
        async let suspending: Void? = try? Task.sleep(for: moment, clock: .suspending)
        async let wall: Void = withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(wallDeadline: .now() + .milliseconds(20)) { continuation.resume() }
        }
        _ = await (continuous, suspending, wall)
    }
}
