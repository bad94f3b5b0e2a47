import Base
import Foundation

/// Full-text search over all articles in both languages. The index is in memory and never changes, so any number of
/// threads can search at a time.
///
/// Whole words and word beginnings are ranked by BM25 (Robertson and Zaragoza 2009, The Probabilistic Relevance
/// Framework), names far above running text. In names the end of a word counts too, because Finnish puts the animal
/// there (`lapinpöllö`). A word for many animals (`koira`, `owl`) finds all of them. If nothing is found, names that
/// share enough trigrams with the query make up for a typing error.
package struct SearchIndex: Sendable {
    /// The weight of a word by its place.
    fileprivate enum Weight {
        static let name = 20.0
        static let keyword = 4.0
        static let text = 1.0
    }

    /// A word's occurrences in one article.
    private struct Posting {
        /// The article's index in ``ids``.
        let article: Int
        /// The sum of the occurrences' weights.
        let frequency: Double
    }

    /// The lowest share of common trigrams (Dice coefficient) with which a name matches a misspelt query.
    private static let similarityThreshold = 0.34
    /// The words of a query that are read. Each costs a look at every article.
    private static let longestQuery = 32
    /// The fewest letters of a word's end that find a name.
    private static let shortestEnding = 4
    /// The saturation of further occurrences (k1), and the influence of an article's length (b).
    private static let (saturation, lengthShare) = (1.2, 0.75)

    private let ids: [String]
    /// The number of words in each article over the mean number.
    private let lengths: [Double]
    /// All words, sorted, each once.
    private let words: [String]
    /// The postings of the word at the same index, sorted by article.
    private let postings: [[Posting]]
    private let names: [(id: String, trigrams: [Trigrams])]
    /// The words of all names of the article at the same index.
    private let nameWords: [Set<String>]
    /// The indices of a group's articles, by each of the group's words.
    private let groups: [String: Set<Int>]

    init(articles: [Article], groups: [SearchGroup] = []) {
        var members: [String: Set<Int>] = [:]
        for group in groups {
            let positions = Set(articles.indices.filter { group.has(articles[$0]) })
            for word in group.words.flatMap(SearchWords.of) { members[word, default: []].formUnion(positions) }
        }
        var found: [String: [Posting]] = [:]
        var counts: [Double] = []
        for (position, article) in articles.enumerated() {
            var frequencies: [String: Double] = [:]
            var count = 0.0
            for (texts, weight) in article.searchTexts {
                for word in texts.lazy.flatMap(SearchWords.of) {
                    frequencies[word, default: 0] += weight
                    count += 1
                }
            }
            for (word, positions) in members where positions.contains(position) {
                frequencies[word, default: 0] += Weight.name
            }
            for (word, frequency) in frequencies {
                found[word, default: []].append(Posting(article: position, frequency: frequency))
            }
            counts.append(count)
        }
        let mean = max(1, counts.reduce(0, +) / Double(max(1, counts.count)))
        let sorted = found.sorted { $0.key < $1.key }
        ids = articles.map(\.id)
        lengths = counts.map { $0 / mean }
        words = sorted.map(\.key)
        postings = sorted.map(\.value)
        self.groups = members
        nameWords = articles.map { Set($0.searchNames.flatMap(SearchWords.of)) }
        names = articles.map { article in
            (article.id, article.searchNames.map { Trigrams(SearchWords.of($0)) })
        }
    }

    /// The ids of the articles that match, best first.
    /// - Parameter text: words in English or Finnish. An article needs the first 32 of them, and any may be unfinished.
    package func search(_ text: String) -> [String] {
        let query = Array(SearchWords.of(text).prefix(Self.longestQuery))
        guard !query.isEmpty else { return [] }
        let found = ranked(query)
        let wanted = query.filter { groups[$0] != nil }
        let isMeant = { (article: Int) in
            wanted.allSatisfy { groups[$0]?.contains(article) == true || isNamed(article, $0) }
        }
        // A search for dogs should not find every article that mentions a dog, and one for big dogs has those last.
        var best = found.filter(isMeant)
        if query.count > 1 || wanted.isEmpty {
            guard !found.isEmpty else { return similar(to: Trigrams(query)) }
            best += found.filter { !isMeant($0) }
        }
        return exactFirst(best.map { ids[$0] }, query: query)
    }

    /// The indices of the articles that have every word, by BM25.
    private func ranked(_ query: [String]) -> [Int] {
        var scores = [Double?](repeating: 0, count: ids.count)
        for word in query {
            let frequencies = frequencies(of: word)
            let hits = Double(frequencies.count { $0 > 0 })
            // A word that occurs in most articles still counts a little.
            let rarity = max(1e-6, log((Double(ids.count) - hits + 0.5) / (hits + 0.5)))
            for (article, frequency) in frequencies.enumerated() {
                guard frequency > 0, let score = scores[article] else {
                    scores[article] = nil
                    continue
                }
                let length = 1 - Self.lengthShare + Self.lengthShare * lengths[article]
                scores[article] =
                    score + rarity * frequency * (Self.saturation + 1) / (frequency + Self.saturation * length)
            }
        }
        return scores.enumerated().compactMap { article, score in score.map { (article, $0) } }
            .sorted { ($1.1, ids[$0.0]) < ($0.1, ids[$1.0]) }
            .map(\.0)
    }

    /// The weighted number of words in each article that begin with the text, and of words in names that end with it.
    private func frequencies(of beginning: String) -> [Double] {
        var frequencies = [Double](repeating: 0, count: ids.count)
        var place = words.leadingCount { $0 < beginning }
        while place < words.count, words[place].hasPrefix(beginning) {
            for posting in postings[place] { frequencies[posting.article] += posting.frequency }
            place += 1
        }
        for article in ids.indices where frequencies[article] < Weight.name && isNamed(article, beginning) {
            frequencies[article] += Weight.name
        }
        return frequencies
    }

    /// Whether a word in the article's names equals the word or, as a compound, ends with it.
    private func isNamed(_ article: Int, _ word: String) -> Bool {
        nameWords[article].contains(word)
            || word.utf8.count >= Self.shortestEnding && nameWords[article].contains { $0.hasSuffix(word) }
    }

    /// The ids of at most three articles with a name, in either language, that resembles a mistyped text, most similar
    /// first. Only the first 64 characters of the text are read.
    package func near(_ text: String) -> [String] {
        let words = SearchWords.of(String(text.prefix(64)).replacing("_", with: " "))
        return words.isEmpty ? [] : Array(similar(to: Trigrams(words)).prefix(3))
    }

    /// Moves articles whose exact name was typed before those that only mention it.
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
}

extension Article {
    /// All names of the animal, in any language.
    fileprivate var searchNames: [String] {
        [name.en, name.fi, scientificName].compactMap { $0 } + aliases.en + aliases.fi
            + [id.replacing("_", with: " ")]
    }

    /// All searched texts, with the weight of a word in each.
    fileprivate var searchTexts: [(texts: [String], weight: Double)] {
        let text = ([description] + sections.values).flatMap { [$0.en, $0.fi ?? ""] }
        return [
            (searchNames, SearchIndex.Weight.name),
            ([origin.en, origin.fi ?? "", summary.en, summary.fi ?? ""], SearchIndex.Weight.keyword),
            (text, SearchIndex.Weight.text),
        ]
    }
}
