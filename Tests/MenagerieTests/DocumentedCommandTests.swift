import Foundation
import TestSupport
import Testing

@Suite("Documented commands") struct DocumentedCommandTests {
    /// Each command in a code block of the README or of `Docs` has its own help text.
    @Test func `every command in the documentation exists`() async throws {
        let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
        let docs = FileManager.default.enumerator(at: package.appending(path: "Docs"), includingPropertiesForKeys: nil)
        let pages =
            (docs?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "md" } + [
                package.appending(path: "README.md")
            ]
        var commands: Set<String> = []
        for page in pages {
            let text = try String(contentsOf: page, encoding: .utf8)
            commands.formUnion(text.matches(of: /(?m)^\$ (?:.*\| )?menagerie ([a-z]+)\b/).map { String($0.1) })
        }
        #expect(commands.isSuperset(of: ["immich", "tag"]))
        for command in commands.sorted() {
            let help = try await Program.menagerie.run([command, "--help"])
            #expect(help.output.contains("USAGE: menagerie \(command)"), "\(command)")
        }
    }
}
