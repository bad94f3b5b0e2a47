import ArgumentParser
import Base
import CSystemCalls
import Dispatch
import Foundation
import Glibc
import Recognition
import Video

@main enum EntryPoint {
    /// Starts helper processes before commands are parsed: they isolate themselves from their parent, which the kernel
    /// allows only while they have one thread.
    static func main() {
        openStandardDescriptors()
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case TrialHelper.command where arguments.count == 2: _exit(TrialHelper.run(order: arguments[1]))
        case VideoWorker.command where arguments.count == 2: _exit(VideoWorker.run(order: arguments[1]))
        case Sandbox.checkCommand: _exit(Sandbox.check())
        default: break
        }
        if let refusal = refusalOfTexts() {
            printError("Error: \(refusal)")
            exit(ExitCode.validationFailure.rawValue)
        }
        Task {
            await run()
            // Without this, output that a full disk cut off would look complete.
            if !menagerie_flush_output() {
                printError("Error: The output could not be written in full.")
                exit(ExitCode.failure.rawValue)
            }
            exit(0)
        }
        dispatchMain()
    }

    /// Runs the command that the arguments name. Ends the program after an error. Help and the version are output like
    /// any other.
    private static func run() async {
        do {
            var command = try MenagerieCommand.parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            guard MenagerieCommand.exitCode(for: error) == .success else { MenagerieCommand.exit(withError: error) }
            print(MenagerieCommand.fullMessage(for: error))
        }
    }

    /// Opens standard input, output and error if the caller closed them. Otherwise the next file would get such a
    /// number, and what is printed would end up in the history.
    private static func openStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // Reading alone is possible, so that writing still fails.
            _ = open("/dev/null", O_RDONLY)
        }
    }

    /// The reason why an argument or a variable cannot be used: Swift would replace bytes that are not UTF-8, and so
    /// another file would be read or made. Nil if all are UTF-8.
    private static func refusalOfTexts() -> String? {
        let advice = "Rename what it names, or use a link with another name."
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let text = CommandLine.unsafeArgv[index], String(validatingCString: text) == nil else { continue }
            return "The argument “\(String(cString: text))” is not UTF-8. \(advice)"
        }
        for name in ProcessInfo.processInfo.environment.keys.sorted()
        where ["MENAGERIE_", "HOME", "XDG_"].contains(where: name.hasPrefix) {
            guard let text = getenv(name), String(validatingCString: text) == nil else { continue }
            return "The environment variable \(name) is “\(String(cString: text))”, which is not UTF-8. \(advice)"
        }
        return nil
    }
}
