/// A word for many animals, such as `owl` or `pöllö`, in both languages, with its articles.
///
/// The list is the project's own and lies in `Names/groups.json`. A group without members is a word that people search
/// for and that has no article. Without such a group `norsu` (elephant) would find dogs of ivory colour (`norsunluu`).
struct SearchGroup: Decodable, Sendable {
    /// The word in singular and plural.
    let words: [String]
    let species: String?
    let group: String?
    let kind: Article.Kind?
    let ids: Set<String>?

    func has(_ article: Article) -> Bool {
        species == article.species || group == article.group || kind == article.kind
            || ids?.contains(article.id) == true
    }

    /// Reads the list that comes with the program.
    /// - Throws: ``EncyclopaediaError``, which names the file.
    static func bundled() throws(EncyclopaediaError) -> [SearchGroup] { try Resources.names("groups") }
}
