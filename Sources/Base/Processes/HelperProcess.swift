internal import CSystemCalls
internal import Dispatch
internal import Glibc

/// A helper process, as its parent controls it. The parent waits for a bounded time, whatever the helper does. Then it
/// kills the helper and every process that the helper may have started.
package final class HelperProcess: Sendable {
    /// The descriptor on which a helper writes to its parent: standard output.
    package static let messages: Int32 = 1

    private struct State {
        /// The process's number; nil once it was waited for. Until then no other process can get the number.
        var process: pid_t?
        /// Whether ``end()`` was called.
        var isEnding = false
        var isCancelled = false
    }

    private let descriptor: CInt
    private let state: Locked<State>

    /// - Parameters:
    ///   - arguments: the helper's command with its arguments.
    ///   - descriptors: the descriptors that the helper gets beside ``messages``. They stay open in the caller.
    package init(
        _ program: HelperProgram, _ arguments: [String], descriptors: [HelperProgram.Descriptor]
    ) throws(ProcessError) {
        var ends: [CInt] = [-1, -1]
        guard menagerie_pipe(&ends) == 0 else { throw ProcessError("pipe: \(ProcessError.text(errno))") }
        // A large pipe saves switches between the two processes for each picture.
        _ = menagerie_set_pipe_size(ends[0], 1 << 20)
        descriptor = ends[0]
        do throws(ProcessError) {
            let process = try program.start(arguments, descriptors: descriptors + [(ends[1], Self.messages)])
            state = Locked(State(process: process))
        } catch {
            close(ends[0])
            close(ends[1])
            throw error
        }
        // Otherwise the pipe would not end when the helper does.
        close(ends[1])
    }

    deinit {
        if let process = state.withLock({ $0.process }) {
            Self.kill(process)
            DispatchQueue.global().async { _ = Self.takeStatus(of: process) }
        }
        close(descriptor)
    }

    /// An error: the messages did not come in time.
    package struct Late: Error {}

    /// Reads `count` bytes, or fewer if the helper's messages end earlier. Blocks.
    ///
    /// - Parameter patience: the seconds for all of them.
    package func read(_ count: Int, patience: Double) throws(Late) -> [UInt8] {
        guard count > 0 else { return [] }
        let deadline = ContinuousClock.now + .seconds(patience)
        var isLate = false
        var filled = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            while filled < count {
                let left = Int32(clamping: ((deadline - .now) / .milliseconds(1)).rounded(.up))
                var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                let ready = left > 0 ? poll(&poller, 1, left) : 0
                if ready < 0, errno == EINTR { continue }
                guard ready > 0 else {
                    isLate = true
                    break
                }
                let result = Glibc.read(descriptor, buffer.baseAddress?.advanced(by: filled), count - filled)
                if result < 0, errno == EINTR { continue }
                guard result > 0 else { break }
                filled += result
            }
            initialized = filled
        }
        if isLate { throw Late() }
        return bytes
    }

    /// Kills the helper, from any thread. Its messages end.
    package func cancel() {
        state.withLock { $0.isCancelled = true }
        kill()
    }

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// The number of the helper's process and process group; nil once it was waited for.
    package var identifier: Int32? { state.withLock { $0.process } }

    /// The way in which a helper ended.
    package enum Ending: Sendable, Hashable {
        case status(Int32)
        case signal(Int32)
    }

    /// Waits a tenth of a second for the helper to end by itself, kills it if it has not, and waits for its end.
    /// Blocks.
    ///
    /// - Returns: nil if this was called before.
    @discardableResult package func end() -> Ending? {
        let process = state.withLock { exchange(&$0.isEnding, with: true) ? nil : $0.process }
        guard let process else { return nil }
        let killing = DispatchWorkItem { [self] in kill() }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100), execute: killing)
        defer { killing.cancel() }
        // The number stays the helper's, so that it can be killed meanwhile.
        var information = siginfo_t()
        while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        return state.withLock { state in
            state.process = nil
            return Self.takeStatus(of: process)
        }
    }

    private func kill() {
        state.withLock { state in
            if let process = state.process { Self.kill(process) }
        }
    }

    /// Blocks until the process has ended. Then its number may belong to another process.
    private static func takeStatus(of process: pid_t) -> Ending {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? .status((status >> 8) & 0xFF) : .signal(signal)
    }

    /// Kills the process group too: without namespaces, nothing else ends the processes that the helper has started.
    private static func kill(_ process: pid_t) {
        Glibc.kill(-process, SIGKILL)
        Glibc.kill(process, SIGKILL)
    }
}
