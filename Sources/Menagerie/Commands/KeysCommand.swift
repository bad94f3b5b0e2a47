import ArgumentParser
import Foundation
import Security

/// `menagerie keys`: manages the keys of the service.
struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Adds, lists, replaces and removes the keys of the service.",
        discussion: """
            The keys are in the file in the setting security.keys; otherwise in the PostgreSQL database of the history, so \
            that all replicas have them; otherwise in keys.json in the data directory. A running service notices a change \
            within a second. A service that was started without any keys must be restarted.
            """,
        subcommands: [
            AddKeyCommand.self, ListKeysCommand.self, RotateKeyCommand.self, RemoveKeyCommand.self,
        ])
}

private protocol KeyCommand: AsyncParsableCommand {
    var options: SettingsOptions { get }
    func run(on keys: any KeyRepository) async throws
}

extension KeyCommand {
    func run() async throws {
        let settings = try options.load()
        try await failing { try await run(on: try await keyRepository(settings)) }
    }

    /// Only the key goes to standard output, so that a script can capture it.
    fileprivate func show(_ key: String, _ note: String) {
        print(key)
        printError(note)
    }
}

struct AddKeyCommand: KeyCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Makes a key and prints it, this once.")

    @Argument(help: "Name of the key, such as the device or the person that gets it.")
    var name: String

    @Option(help: "Role: reader (changes nothing), user (scans, history, favourites) or admin (everything).")
    var role: Role

    @OptionGroup var options: SettingsOptions

    func run(on keys: any KeyRepository) async throws {
        let key = try await keys.add(name, role: role)
        show(
            key,
            "This is the key of “\(name)” (\(role.rawValue)). It is shown only now; its digest is kept in \(keys.place)."
        )
    }
}

struct ListKeysCommand: KeyCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the names, roles and dates of the keys; the keys themselves are kept nowhere.")

    @OptionGroup var options: SettingsOptions

    func run(on keys: any KeyRepository) async throws {
        guard try await keys.read() != nil else {
            print("There are no keys in \(keys.place).")
            return
        }
        let keys = try await keys.load()
        let width = max(4, keys.map(\.name.count).max() ?? 0)
        func line(_ name: String, _ role: String, _ time: String) {
            // `padding(toLength:)` counts in UTF-16, and would cut names in scripts such as Devanagari.
            let space = String(repeating: " ", count: width + 2 - name.count)
            print(name + space + role.padding(toLength: 8, withPad: " ", startingAt: 0) + time)
        }
        line("NAME", "ROLE", "MADE")
        for key in keys { line(key.name, key.role.rawValue, key.createdAt.formatted(.iso8601)) }
    }
}

struct RotateKeyCommand: KeyCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Replaces a key by a new one, which it prints; the old one ends.")

    @Argument(help: "Name of the key.")
    var name: String

    @OptionGroup var options: SettingsOptions

    func run(on keys: any KeyRepository) async throws {
        show(try await keys.rotate(name), "This is the new key of “\(name)”. It is shown only now; the old one ends.")
    }
}

struct RemoveKeyCommand: KeyCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Removes a key; it ends, and every session that it began.")

    @Argument(help: "Name of the key.")
    var name: String

    @OptionGroup var options: SettingsOptions

    func run(on keys: any KeyRepository) async throws {
        try await keys.remove(name)
        print("Removed the key “\(name)”.")
    }
}

extension Role: ExpressibleByArgument {}
