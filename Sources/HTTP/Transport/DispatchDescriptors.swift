import Dispatch

/// The descriptors that Dispatch takes when they are first needed: an epoll instance, a timer for each clock, and the event
/// descriptor of the main queue.
enum DispatchDescriptors {
    /// Where there are none left at that moment, Dispatch ends the process: so they are taken before clients can use up
    /// what there is. Once in a process.
    static let reserved = Task {
        // Work for the main queue takes its descriptor, whether or not anybody drains that queue.
        DispatchQueue.main.async {}
        // Long enough that the timers have to be armed.
        let moment = Duration.milliseconds(5)
        async let continuous: Void? = try? Task.sleep(for: moment, clock: .continuous)
        async let suspending: Void? = try? Task.sleep(for: moment, clock: .suspending)
        async let wall: Void = withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(wallDeadline: .now() + .milliseconds(5)) { continuation.resume() }
        }
        _ = await (continuous, suspending, wall)
    }
}
