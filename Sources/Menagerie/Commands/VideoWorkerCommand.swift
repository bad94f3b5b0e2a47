import ArgumentParser
import Video

/// `menagerie video-worker`: the process that decodes for the others; see ``VideoWorker``. Nobody calls it by hand.
struct VideoWorkerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: VideoProgram.command, abstract: "Decodes a video for another process of Menagerie.",
        shouldDisplay: false)

    @Argument(help: .hidden)
    var order: String

    func run() throws {
        throw ExitCode(VideoWorker.run(order: order))
    }
}
