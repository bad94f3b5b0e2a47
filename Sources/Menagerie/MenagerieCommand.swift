import ArgumentParser

/// `menagerie`: the service and its tools.
struct MenagerieCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "menagerie",
        abstract: "Recognises the animal in a photo and describes it. Works offline.",
        version: Version.current,
        subcommands: [
            ServeCommand.self, StatusCommand.self, StopCommand.self, ClassifyCommand.self, TagCommand.self,
            ImmichCommand.self, VideoCommand.self, LiveCommand.self, BackupCommand.self, RestoreCommand.self,
            CheckCommand.self, ModelsCommand.self, TrainCommand.self, EvaluateCommand.self, BenchmarkCommand.self,
            KeysCommand.self, ConfigCommand.self, DoctorCommand.self, LicencesCommand.self,
        ])
}

/// The version in `--version`, the `Server` field and the metrics.
enum Version {
    static let current = "1.0.0"

    /// The release of the compiler that built the program.
    static var compiler: String {
        #if compiler(>=6.4)
            "6.4 or later"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }

    static var processor: String {
        #if arch(x86_64)
            "x86_64"
        #elseif arch(arm64)
            "aarch64"
        #else
            "other"
        #endif
    }
}

/// `menagerie config`: prints a settings file to start from.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Prints a settings file with every key at its default.")

    func run() {
        print(Settings.fileTemplate, terminator: "")
    }
}
