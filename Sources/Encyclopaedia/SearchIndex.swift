import Foundation
import GRDB

/// Full-text search over all articles in both languages, held in an in-memory SQLite database.
///
/// Whole words and word beginnings are looked up with FTS5 and ranked by BM25, names far above running text. Where
/// that finds nothing, names that share enough trigrams with the query forgive a typing error.
package struct SearchIndex: Sendable {
    /// Below this share of common trigrams (Dice coefficient) a name is no match for a misspelt query.
    private static let similarityThreshold = 0.34

    private let database: DatabaseQueue
    private let names: [(id: String, trigrams: [Trigrams])]

    init(articles: [Article]) throws {
        database = try DatabaseQueue()
        try database.write { database in
            try database.execute(
                sql: """
                    CREATE VIRTUAL TABLE article USING fts5(
                        id UNINDEXED, names, keywords, body, tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3')
                    """)
            for article in articles {
                let texts = [article.description] + article.sections.values
                try database.execute(
                    sql: "INSERT INTO article (id, names, keywords, body) VALUES (?, ?, ?, ?)",
                    arguments: [
                        article.id, article.searchNames.joined(separator: "\n"),
                        [article.origin.en, article.origin.fi ?? "", article.summary.en, article.summary.fi ?? ""]
                            .joined(separator: "\n"),
                        texts.flatMap { [$0.en, $0.fi ?? ""] }.joined(separator: "\n"),
                    ])
            }
        }
        names = articles.map { article in
            (article.id, article.searchNames.map { Trigrams(Self.words($0)) })
        }
    }

    /// Ids of the articles that fit, best first.
    /// - Parameter text: words in English or Finnish; the last one may be unfinished.
    package func search(_ text: String) throws -> [String] {
        let words = Self.words(text)
        guard !words.isEmpty else { return [] }
        let pattern = words.map { "\"\($0)\"*" }.joined(separator: " ")
        let found = try database.read { database in
            try String.fetchAll(
                database,
                sql: "SELECT id FROM article WHERE article MATCH ? ORDER BY bm25(article, 0, 20, 4, 1), id",
                arguments: [pattern])
        }
        return found.isEmpty ? similar(to: Trigrams(words)) : exactFirst(found, query: words)
    }

    /// Puts articles whose very name was typed before those that only mention it.
    private func exactFirst(_ ids: [String], query: [String]) -> [String] {
        let wanted = Trigrams(query)
        let exact = Set(names.lazy.filter { $0.trigrams.contains(wanted) }.map(\.id))
        return ids.filter(exact.contains) + ids.filter { !exact.contains($0) }
    }

    private func similar(to wanted: Trigrams) -> [String] {
        names.compactMap { id, candidates -> (id: String, score: Double)? in
            let score = candidates.map { wanted.similarity(to: $0) }.max() ?? 0
            return score >= Self.similarityThreshold ? (id, score) : nil
        }
        .sorted { ($1.score, $0.id) < ($0.score, $1.id) }
        .map(\.id)
    }

    /// Lower-case words of letters and digits without diacritics, so that `Pallas's` and `pallass` meet.
    private static func words(_ text: String) -> [String] {
        text.replacing("'", with: "").replacing("’", with: "")
            .folding(options: [.diacriticInsensitive, .caseInsensitive], locale: nil)
            .split { !$0.isLetter && !$0.isNumber }
            .map(String.init)
    }
}

extension Article {
    /// Everything the animal is called, in any language.
    fileprivate var searchNames: [String] {
        ([name.en, name.fi, scientificName].compactMap { $0 } + aliases.en + aliases.fi
            + [id.replacing("_", with: " ")])
            .map { $0.replacing("'", with: "").replacing("’", with: "") }
    }
}
