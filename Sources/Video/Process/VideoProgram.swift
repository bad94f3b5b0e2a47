import CSystemCalls
import Foundation
import Glibc

/// The executable that becomes a worker: this very program, started with a command that no help lists.
package struct VideoProgram: Sendable {
    /// The command of `path` that has it work.
    package static let command = "video-worker"

    let path: String

    /// The program that runs.
    package static let current = VideoProgram(path: "/proc/self/exe")

    /// - Parameter path: of an executable of this product.
    package init(path: String) {
        self.path = path
    }

    /// posix_spawn(3): a fork of a program that has threads must not go on running.
    ///
    /// - Parameter descriptors: those that it gets, and their numbers there; all others are closed.
    func spawn(_ order: WorkerOrder, descriptors: [(own: CInt?, target: CInt)]) throws(VideoError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // First to numbers that are in nobody's way, or one could overwrite another's source.
        let aside: CInt = 200
        for (own, target) in descriptors {
            if let own { posix_spawn_file_actions_adddup2(&actions, own, aside + target) }
        }
        for (own, target) in descriptors {
            if own != nil {
                posix_spawn_file_actions_adddup2(&actions, aside + target, target)
            } else {
                posix_spawn_file_actions_addopen(&actions, target, "/dev/null", O_RDONLY, 0)
            }
        }
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        menagerie_spawn_close_from(&actions, WorkerDescriptor.output + 1)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        // A session of its own: Ctrl-C on the terminal is for the program, which then ends it.
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK) | menagerie_spawn_new_session())

        guard let text = try? JSONEncoder().encode(order) else { throw .system("the order cannot be written") }
        let words = ["menagerie", Self.command, String(decoding: text, as: UTF8.self)]
        // Nothing of the service's environment, in which there may be secrets.
        let environment = ["LD_LIBRARY_PATH", "PATH"].compactMap { name in
            ProcessInfo.processInfo.environment[name].map { "\(name)=\($0)" }
        }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
        defer { (arguments + variables).forEach { free($0) } }
        var process = pid_t()
        let code = posix_spawn(&process, path, &actions, &attributes, &arguments, &variables)
        guard code == 0 else { throw .system("no process can be started: \(String(cString: strerror(code)))") }
        return process
    }
}
