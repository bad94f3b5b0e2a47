import Foundation

/// A word for many animals at once, in both languages, and the articles that it means: `owl`, `pöllö`.
///
/// The list is ours and lies in `Names/groups.json`. A group without members is one that people look for and no article tells
/// of: without it `norsu` (elephant) would find dogs of the colour of ivory (`norsunluu`).
struct SearchGroup: Decodable, Sendable {
    /// Singular and plural.
    let words: [String]
    private let species: String?
    private let group: String?
    private let kind: Article.Kind?
    let ids: Set<String>?

    /// Whether a species, a group or a kind is named, whatever ids besides.
    var isOfKinds: Bool { species != nil || group != nil || kind != nil }

    func has(_ article: Article) -> Bool {
        species == article.species || group == article.group || kind == article.kind
            || ids?.contains(article.id) == true
    }

    /// Reads the list that comes with the program.
    /// - Throws: ``EncyclopaediaError`` that names the file.
    static func bundled() throws -> [SearchGroup] {
        guard let resources = Bundle.module.resourceURL else {
            throw EncyclopaediaError.missing("the program's bundle")
        }
        let url = resources.appendingPathComponent("Names").appendingPathComponent("groups.json")
        do {
            return try JSONDecoder().decode([SearchGroup].self, from: Data(contentsOf: url))
        } catch {
            throw EncyclopaediaError.unreadable(url.path, reason: "\(error)")
        }
    }
}
