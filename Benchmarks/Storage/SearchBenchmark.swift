import Encyclopaedia
import Foundation

/// Prints the cost of a search over all articles.
enum SearchBenchmark {
    /// Names, parts of names, misspelt names, words of the text, Finnish, several words, and words that find nothing.
    private static let texts = [
        "siamese", "sia", "simese", "labrador", "britsh shorthar", "Ayutthaya", "lumileopardi", "pyhä birma", "kyy",
        "calm family dog", "small dog", "long silky coat", "cat", "a", "metsä", "zzzzqqq",
    ]

    static func run() throws {
        let encyclopaedia = try Encyclopaedia.bundled()
        var worst = (text: "", seconds: 0.0)
        var total = 0.0
        for text in texts {
            var query = ArticleQuery()
            query.text = text
            let seconds = cost { encyclopaedia.articles(matching: query).count }
            total += seconds
            if seconds > worst.seconds { worst = (text, seconds) }
        }
        var filter = ArticleQuery()
        (filter.species, filter.traits) = ("dog", ["energy": Set(4...5)])
        let filtering = cost { encyclopaedia.articles(matching: filter).count }
        print(
            "search over \(encyclopaedia.articles.count) articles, processor time: mean",
            microseconds(total / Double(texts.count)) + ", dearest \(microseconds(worst.seconds)) (\(worst.text));",
            "filter without words \(microseconds(filtering))")
    }

    /// The mean processor seconds of 200 calls.
    private static func cost(_ body: () -> Int) -> Double {
        var found = body()
        let start = processorSeconds()
        for _ in 0..<200 { found = max(found, body()) }
        return (processorSeconds() - start) / 200
    }
}
