import API
import ArgumentParser
import Foundation

/// `menagerie keys`: who may use the service.
struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Adds, lists, replaces and removes the keys of the service.",
        discussion: """
            The file is that of the setting security.keys, otherwise keys.json in the data directory. A service that runs \
            notices a change within a second; one that was started without any keys has to be started again.
            """,
        subcommands: [
            AddKeyCommand.self, ListKeysCommand.self, RotateKeyCommand.self, RemoveKeyCommand.self,
        ])
}

/// A command on the file of keys.
private protocol KeyFileCommand: ParsableCommand {
    var options: SettingsOptions { get }
    func run(on file: KeyFile) throws
}

extension KeyFileCommand {
    func run() throws {
        let file = try KeyFile(options.load())
        do {
            try run(on: file)
        } catch let error as KeyFileError {
            FileHandle.standardError.write(Data("Error: \(error)\n".utf8))
            throw ExitCode.failure
        }
    }

    /// The key alone goes to standard output, so that a script can take it.
    fileprivate func show(_ key: String, _ note: String) {
        print(key)
        FileHandle.standardError.write(Data((note + "\n").utf8))
    }
}

struct AddKeyCommand: KeyFileCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Makes a key and prints it, this once.")

    @Argument(help: "What to call it, such as the device or the person that gets it.")
    var name: String

    @Option(help: "What it may do: reader (changes nothing), user (scans, history, favourites) or admin (everything).")
    var role: Role

    @OptionGroup var options: SettingsOptions

    func run(on file: KeyFile) throws {
        let key = try file.add(name, role: role)
        show(
            key, "This is the key of “\(name)” (\(role.rawValue)). It is shown only now; \(file.path) holds its digest."
        )
    }
}

struct ListKeysCommand: KeyFileCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the names, roles and dates of the keys; the keys themselves are kept nowhere.")

    @OptionGroup var options: SettingsOptions

    func run(on file: KeyFile) throws {
        guard file.exists else {
            print("There are no keys: \(file.path) is missing.")
            return
        }
        let keys = try file.load()
        let width = max(4, keys.map(\.name.count).max() ?? 0)
        func line(_ name: String, _ role: String, _ time: String) {
            print(
                name.padding(toLength: width + 2, withPad: " ", startingAt: 0)
                    + role.padding(toLength: 8, withPad: " ", startingAt: 0) + time)
        }
        line("NAME", "ROLE", "MADE")
        for key in keys { line(key.name, key.role.rawValue, key.createdAt.formatted(.iso8601)) }
    }
}

struct RotateKeyCommand: KeyFileCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Replaces a key by a new one, which it prints; the old one ends.")

    @Argument(help: "Name of the key.")
    var name: String

    @OptionGroup var options: SettingsOptions

    func run(on file: KeyFile) throws {
        show(try file.rotate(name), "This is the new key of “\(name)”. It is shown only now; the old one ends.")
    }
}

struct RemoveKeyCommand: KeyFileCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Removes a key; it ends, and every session that it began.")

    @Argument(help: "Name of the key.")
    var name: String

    @OptionGroup var options: SettingsOptions

    func run(on file: KeyFile) throws {
        try file.remove(name)
        print("Removed the key “\(name)”.")
    }
}

extension Role: ExpressibleByArgument {}
