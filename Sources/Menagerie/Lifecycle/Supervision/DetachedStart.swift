import Base
import Foundation

/// Starts this program again in the background and waits until it is ready.
struct DetachedStart {
    enum Outcome {
        case ready(process: pid_t, urls: String)
        /// The process ended. The status is its exit status, or 128 plus the signal's number.
        case ended(status: Int32)
        /// The process is still starting after ``patience``.
        case starting(process: pid_t)
    }

    /// The longest start that is waited for.
    static let patience = Duration.seconds(300)

    /// The descriptor on which the new process reports that it is ready.
    static let starter: CInt = 3

    /// The command line without the program's name.
    let arguments: [String]
    let log: StateLog

    /// - Throws: ``SettingsError`` if no process can be started.
    func run() throws(SettingsError) -> Outcome {
        var ends: [CInt] = [-1, -1]
        guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw Self.failure(ProcessError(ProcessError.text(errno)))
        }
        defer { close(ends[0]) }
        let process: pid_t
        do throws(ProcessError) {
            // An open copy of this end would hide the end of the service.
            defer { close(ends[1]) }
            // Text that the service prints once, such as its first key, goes to the terminal and not to the log.
            process = try HelperProgram.current.start(
                [CommandLine.arguments.first ?? "menagerie"] + arguments, environment: nil,
                descriptors: [(nil, 0), (ends[1], 1), (log.descriptor, 2), (ends[1], Self.starter)])
        } catch {
            throw Self.failure(error)
        }
        return wait(for: process, at: ends[0])
    }

    /// Prints incoming text until the addresses follow ``Announcer/mark``, or until the process ends.
    private func wait(for process: pid_t, at descriptor: CInt) -> Outcome {
        let deadline = ContinuousClock.now + Self.patience
        var text: [UInt8] = []
        while true {
            let left = Int32(clamping: max(0, (deadline - .now) / .milliseconds(1)))
            var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = poll(&poller, 1, left)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return .starting(process: process) }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let received = read(descriptor, &buffer, buffer.count)
            if received < 0, errno == EINTR { continue }
            guard received > 0 else { break }
            text += buffer.prefix(received)
            let mark = text.firstIndex(of: Announcer.mark) ?? text.endIndex
            // The service runs whether or not somebody reads this.
            try? FileHandle.standardOutput.write(contentsOf: Data(text[..<mark]))
            text.removeFirst(mark)
            if !text.isEmpty, let end = text.firstIndex(of: UInt8(ascii: "\n")) {
                return .ready(process: process, urls: String(decoding: text[1..<end], as: UTF8.self))
            }
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return .ended(status: signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
    }

    private static func failure(_ error: ProcessError) -> SettingsError {
        SettingsError("The service cannot be started in the background: \(error).")
    }
}
