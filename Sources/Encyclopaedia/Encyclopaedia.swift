import Base
import Foundation

/// All articles. They are loaded once and never changed.
package struct Encyclopaedia: Sendable {
    /// The articles, sorted by English name.
    package let articles: [Article]
    /// The names of things that have no article.
    package let names: ObjectNames
    private let positions: [String: Int]
    private let groups: [SearchGroup]
    private let search = Locked<SearchIndex?>(nil)

    /// Full-text search over ``articles``. The first use makes the index, which takes a tenth of a second.
    package var index: SearchIndex {
        search.withLock { made in
            let index = made ?? SearchIndex(articles: articles, groups: groups)
            made = index
            return index
        }
    }

    /// Reads the articles that come with the program.
    /// - Throws: ``EncyclopaediaError``, which names the file.
    package static func bundled() throws -> Encyclopaedia {
        try Encyclopaedia(directory: Resources.folder("Articles"), names: .bundled(), groups: SearchGroup.bundled())
    }

    /// Reads every `.json` file below a folder.
    /// - Throws: ``EncyclopaediaError`` for an unreadable file or a repeated id.
    init(directory: URL, names: ObjectNames = .none, groups: [SearchGroup] = []) throws {
        guard let files = FileManager.default.enumerator(at: directory, includingPropertiesForKeys: nil) else {
            throw EncyclopaediaError.missing(directory.path)
        }
        var articles: [Article] = []
        for case let file as URL in files where file.pathExtension == "json" {
            articles.append(try Resources.decode(file))
        }
        guard !articles.isEmpty else { throw EncyclopaediaError.missing(directory.path) }
        try self.init(articles: articles, names: names, groups: groups)
    }

    init(articles: [Article], names: ObjectNames = .none, groups: [SearchGroup] = []) throws {
        self.names = names
        self.articles = articles.sorted { ($0.name.en.lowercased(), $0.id) < ($1.name.en.lowercased(), $1.id) }
        var positions: [String: Int] = [:]
        for (position, article) in self.articles.enumerated() {
            guard positions.updateValue(position, forKey: article.id) == nil else {
                throw EncyclopaediaError.duplicate(article.id)
            }
        }
        self.positions = positions
        self.groups = groups
    }

    /// The article with that id; nil if there is none.
    package subscript(id: String) -> Article? {
        positions[id].map { articles[$0] }
    }
}

/// The files that come with the program.
enum Resources {
    static func folder(_ name: String) throws(EncyclopaediaError) -> URL {
        guard let resources = Bundle.module.resourceURL else { throw .missing("the program's bundle") }
        return resources.appendingPathComponent(name)
    }

    /// Reads a list under `Names/`.
    static func names<Value: Decodable>(_ file: String) throws(EncyclopaediaError) -> Value {
        try decode(folder("Names").appendingPathComponent("\(file).json"))
    }

    static func decode<Value: Decodable>(_ file: URL) throws(EncyclopaediaError) -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: Data(contentsOf: file))
        } catch {
            throw .unreadable(file.path, reason: "\(error)")
        }
    }
}

/// An error in the articles, without which the service cannot start.
package enum EncyclopaediaError: Error, CustomStringConvertible {
    case missing(String)
    case unreadable(String, reason: String)
    case duplicate(String)

    package var description: String {
        switch self {
        case .missing(let path): "There are no articles in \(path)."
        case .unreadable(let path, let reason): "The article \(path) cannot be read: \(reason)"
        case .duplicate(let id): "Two articles have the id \(id)."
        }
    }
}
