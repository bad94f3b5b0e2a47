internal import CSystemCalls
internal import Foundation
internal import Glibc

/// The executable of another process: this program itself. It is a helper, with a command that no help lists, which
/// gives up its rights by ``Sandbox``; or it is the service in the background.
package struct HelperProgram: Sendable, Hashable {
    let path: String

    /// The program that runs now.
    package static let current = HelperProgram(path: "/proc/self/exe")

    /// - Parameter path: an executable of this product.
    package init(path: String) {
        self.path = path
    }

    /// A descriptor of this process and its number in the helper. nil stands for `/dev/null`.
    package typealias Descriptor = (own: Int32?, target: Int32)

    /// Starts the helper.
    ///
    /// - Parameters:
    ///   - arguments: the command with its arguments. Other users can see them in `ps`.
    ///   - descriptors: the helper's descriptors, as for ``start(_:environment:descriptors:)``.
    /// - Returns: the number of the process.
    func start(_ arguments: [String], descriptors: [Descriptor]) throws(ProcessError) -> Int32 {
        // The helper gets no other variables, because the service's environment may contain secrets.
        let environment = ["LD_LIBRARY_PATH", "PATH"].compactMap { name in
            ProcessInfo.processInfo.environment[name].map { "\(name)=\($0)" }
        }
        do throws(ProcessError) {
            return try start(["menagerie"] + arguments, environment: environment, descriptors: descriptors)
        } catch {
            throw ProcessError("no process can be started: \(error)")
        }
    }

    /// Starts the program by posix_spawn(3), because a fork of a program with threads must not go on running. Signals
    /// have their default effect, also those that a shell ignores for background jobs.
    ///
    /// - Parameters:
    ///   - words: the name of the program and its arguments.
    ///   - environment: the variables, as `NAME=value`; nil passes on those of this process.
    ///   - descriptors: the process's descriptors, with numbers below 100. All others are closed, and standard error is
    ///   `/dev/null` unless listed.
    /// - Returns: the number of the process, which leads a session and a group of its own.
    package func start(
        _ words: [String], environment: [String]?, descriptors: [Descriptor]
    ) throws(ProcessError) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The descriptors first move to numbers that none of them has, or one could overwrite another's source.
        let sources = descriptors.compactMap(\.own)
        let aside = (CInt(100)...).lazy.filter { !sources.contains($0) }
        for ((own, _), place) in zip(descriptors, aside) {
            if let own { posix_spawn_file_actions_adddup2(&actions, own, place) }
        }
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        for ((own, target), place) in zip(descriptors, aside) {
            if own != nil {
                posix_spawn_file_actions_adddup2(&actions, place, target)
            } else {
                posix_spawn_file_actions_addopen(&actions, target, "/dev/null", O_RDONLY, 0)
            }
        }
        menagerie_spawn_close_from(&actions, max(2, descriptors.map(\.target).max() ?? 0) + 1)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        // In its own session a helper gets no Ctrl-C. The program gets it, and ends the helper.
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK) | menagerie_spawn_new_session())

        var texts: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = (environment ?? []).map { strdup($0) } + [nil]
        defer { (texts + variables).forEach { free($0) } }
        var process = pid_t()
        let code = variables.withUnsafeMutableBufferPointer {
            posix_spawn(&process, path, &actions, &attributes, &texts, environment == nil ? environ : $0.baseAddress)
        }
        guard code == 0 else { throw ProcessError(ProcessError.text(code)) }
        return process
    }
}
