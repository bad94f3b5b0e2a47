internal import CSystemCalls
internal import Glibc

/// A helper process as its parent sees it. Whatever the helper does, the parent waits for a bounded time and then kills it,
/// with all that it may have started.
package final class HelperProcess: Sendable {
    /// Where a helper writes to whoever started it: its standard output.
    package static let messages: Int32 = 1

    private struct State {
        /// nil once it was waited for.
        var process: pid_t?
        var isCancelled = false
    }

    private let descriptor: CInt
    private let state: Locked<State>

    /// - Parameters:
    ///   - arguments: the helper's command, and what belongs to it.
    ///   - descriptors: those that it gets beside ``messages``; they stay the caller's.
    package init(
        _ program: HelperProgram, _ arguments: [String], descriptors: [HelperProgram.Descriptor]
    ) throws(ProcessError) {
        var ends: [CInt] = [-1, -1]
        guard menagerie_pipe(&ends) == 0 else { throw ProcessError("pipe: \(ProcessError.text(errno))") }
        // Fewer turns between the two for each picture.
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
        // Otherwise the end of the helper would not be the end of the pipe.
        close(ends[1])
    }

    deinit {
        end()
        close(descriptor)
    }

    /// Nothing came in time.
    package struct Late: Error {}

    /// Exactly so many bytes; fewer where the helper's messages end before. Blocks.
    ///
    /// - Parameter patience: seconds for all of them.
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

    /// Kills the helper from whatever thread; its messages end.
    package func cancel() {
        state.withLock { state in
            state.isCancelled = true
            if let process = state.process { Self.kill(process) }
        }
    }

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// The number of the helper's process, and of its group, while that lives.
    package var identifier: Int32? { state.withLock { $0.process } }

    /// How a helper ended.
    package enum Ending: Sendable, Hashable {
        case status(Int32)
        case signal(Int32)
    }

    /// Kills the helper, unless it has ended, and waits for it. Blocks for a moment.
    ///
    /// - Returns: nil where that was asked before.
    @discardableResult package func end() -> Ending? {
        // Within the lock: nobody may kill a process of that number once it was waited for. A process that is killed, or
        // has closed its pipe, ends at once.
        state.withLock { state in
            guard let process = state.process else { return nil }
            state.process = nil
            var status: Int32 = 0
            var tries = 0
            // One that has died by itself keeps its status.
            while waitpid(process, &status, WNOHANG) != process {
                guard tries < 50 else {
                    Self.kill(process)
                    while waitpid(process, &status, 0) < 0, errno == EINTR {}
                    break
                }
                tries += 1
                usleep(2000)
            }
            let signal = status & 0x7F
            return signal == 0 ? .status((status >> 8) & 0xFF) : .signal(signal)
        }
    }

    /// With its group: what it may have started dies with it where there are no namespaces to see to that.
    private static func kill(_ process: pid_t) {
        Glibc.kill(-process, SIGKILL)
        Glibc.kill(process, SIGKILL)
    }
}
