import ArgumentParser

/// `menagerie config`: prints a settings file to start from.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Prints a settings file with every key at its default.")

    func run() {
        print(Settings.fileTemplate, terminator: "")
    }
}
