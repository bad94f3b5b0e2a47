import ArgumentParser
import Foundation

/// `menagerie licences`: prints the parts of the program and their licences.
struct LicencesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "licences", abstract: "Lists the libraries, weights and photos of others, with their licences.",
        discussion: """
            The list comes from Config/parts.json beside the program, which is also the source of a package's bill of \
            materials (SPDX), and from the page's samples. Menagerie itself is Apache-2.0.
            """)

    /// A library, or weights that the program's own are derived from.
    private struct Part: Decodable {
        let name: String
        let version: String?
        let licence: String
        let source: String
        let use: String
        let note: String?
    }

    /// A sample photo on the page.
    private struct Sample: Decodable {
        let file: String
        let credit: String
        let licence: String
        let source: String
    }

    func run() throws {
        guard let folder = AssetLocator.bundled("Config") else {
            throw ValidationError("There is no folder Config beside the program or above it.")
        }
        let parts = try JSONDecoder().decode(
            [Part].self, from: Data(contentsOf: folder.appendingPathComponent("parts.json")))
        for part in parts {
            let name = [part.name, part.version].compactMap(\.self).joined(separator: " ")
            print("\(name): \(part.licence), \(part.use)")
            print("    \(part.source)")
            if let note = part.note { print("    \(note)") }
        }
        // A build without samples has no list of them.
        guard let page = AssetLocator.bundled("Public"),
            let list = try? Data(contentsOf: page.appendingPathComponent("samples/index.json"))
        else { return }
        for sample in try JSONDecoder().decode([Sample].self, from: list) {
            print("Photo \(sample.file) by \(sample.credit): \(sample.licence)")
            print("    \(sample.source)")
        }
    }
}
