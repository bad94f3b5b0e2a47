import ArgumentParser
import Base
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
            exit(0)
        }
        dispatchMain()
    }
}
