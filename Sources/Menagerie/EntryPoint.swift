import ArgumentParser
import Base
import CSystemCalls
import Dispatch
import Glibc
import Recognition
import Video

@main enum EntryPoint {
    /// Starts helper processes before commands are parsed: they isolate themselves from their parent, which the kernel
    /// allows only while they have one thread.
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case TrialHelper.command where arguments.count == 2: _exit(TrialHelper.run(order: arguments[1]))
        case VideoWorker.command where arguments.count == 2: _exit(VideoWorker.run(order: arguments[1]))
        case Sandbox.checkCommand: _exit(Sandbox.check())
        default: break
        }
        Task {
            await MenagerieCommand.main()
            // Without this, output that a full disk cut off would look complete.
            if !menagerie_flush_output() {
                printError("Error: The output could not be written in full.")
                exit(ExitCode.failure.rawValue)
            }
            exit(0)
        }
        dispatchMain()
    }
}
