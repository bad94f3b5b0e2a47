import Foundation
import Testing

@testable import Encyclopaedia

/// Rules for every article, which catch slips of the pen.
@Suite struct ArticleSchemaTests {
    private static let groups: [String: Set<String>] = [
        "cat": ["shorthair", "semi_longhair", "longhair", "hairless", "wild"],
        "dog": [
            "herding", "molosser_and_schnauzer", "terrier", "spitz_and_primitive", "scent_hound", "pointing",
            "retriever_and_water", "companion", "sighthound", "wild",
        ],
        "other": ["mammal", "bird", "reptile", "amphibian", "invertebrate", "fruit"],
    ]

    let encyclopaedia: Encyclopaedia

    init() throws {
        encyclopaedia = try Bundled.encyclopaedia.get()
    }

    @Test func thereAreAsManyAsPromised() {
        let articles = encyclopaedia.articles
        #expect(articles.filter { $0.species == "cat" }.count >= 60)
        #expect(articles.filter { $0.species == "dog" }.count == 120)
        #expect(articles.filter { $0.kind == .fruit }.count == 5)
        #expect(articles.filter { !["cat", "dog"].contains($0.species) && $0.kind != .fruit }.count == 59)
    }

    @Test func groupsAndTraitsAreKnown() throws {
        for article in encyclopaedia.articles {
            let isPet = article.species == "cat" || article.species == "dog"
            let groups = try #require(Self.groups[isPet ? article.species : "other"])
            #expect(groups.contains(article.group), "\(article.id)")
            #expect(isPet || article.species == article.id, "\(article.id)")
            if isPet { #expect((article.traits == nil) == (article.group == "wild"), "\(article.id)") }
            if let traits = article.traits {
                #expect(Set(traits.keys) == Set(Article.traitNames), "\(article.id)")
                #expect(traits.values.allSatisfy { (1...5).contains($0) }, "\(article.id)")
            }
        }
    }

    @Test func textsHaveTheirLength() {
        for article in encyclopaedia.articles {
            let english = article.description.en.split { $0.isWhitespace }.count
            #expect((120...250).contains(english), "\(article.id): \(english) words")
            for text in article.everyText {
                #expect(!text.trimmingCharacters(in: .whitespacesAndNewlines).isEmpty, "\(article.id)")
            }
            #expect(article.name.fi != nil && article.origin.fi != nil, "\(article.id)")
            #expect(article.sections.count >= 4, "\(article.id)")
        }
    }

    /// The Finnish text of an article matches the English one paragraph by paragraph, in Finnish words and at a similar
    /// length. Finnish needs about three words for four of English, and a few more letters.
    @Test func everythingIsWrittenInFinnish() throws {
        for article in encyclopaedia.articles {
            for text in article.localizedTexts {
                let finnish = try #require(text.fi, "\(article.id): \(text.en)")
                #expect(finnish != text.en, "\(article.id): \(finnish)")
                #expect(
                    (0.6...1.8).contains(Double(finnish.count) / Double(text.en.count)), "\(article.id): \(finnish)")
            }
            let description = try #require(article.description.fi, "\(article.id)")
            let paragraphs = [article.description.en, description].map { $0.split(separator: "\n\n").count }
            #expect(paragraphs[0] == paragraphs[1], "\(article.id): \(paragraphs)")
            #expect(description.split { $0.isWhitespace }.count >= 75, "\(article.id)")
            // Finnish text of this length always has these letters. English has none.
            #expect(description.filter { "äöÄÖ".contains($0) }.count >= 10, "\(article.id)")
        }
    }

    @Test func measuresAreInOrder() {
        for article in encyclopaedia.articles {
            let ranges = [
                article.lifeSpanYears, article.weightKilograms, article.heightCentimetres, article.lengthCentimetres,
            ]
            for range in ranges.compactMap({ $0 }) {
                #expect(0 <= range.min && range.min <= range.max, "\(article.id)")
            }
            #expect(article.heightCentimetres != nil || article.lengthCentimetres != nil, "\(article.id)")
            if article.kind != .fruit {
                #expect(article.lifeSpanYears != nil && article.weightKilograms != nil, "\(article.id)")
            }
        }
    }

    @Test func lookAlikesExist() {
        for article in encyclopaedia.articles {
            #expect((1...3).contains(article.lookAlikes.count), "\(article.id)")
            for other in article.lookAlikes {
                #expect(encyclopaedia[other.id] != nil && other.id != article.id, "\(article.id): \(other.id)")
            }
        }
    }

    @Test func sourcesAreSecureLinks() throws {
        for article in encyclopaedia.articles {
            #expect(article.sources.count >= 2, "\(article.id)")
            for source in article.sources {
                let url = try #require(URL(string: source.url), "\(article.id): \(source.url)")
                #expect(url.scheme == "https" && url.host()?.contains(".") == true, "\(article.id): \(source.url)")
                #expect(!source.title.isEmpty, "\(article.id)")
            }
        }
    }

    @Test func noSentenceStandsInTwoArticles() {
        var owners: [String: String] = [:]
        for article in encyclopaedia.articles {
            for sentence in article.everyText.flatMap(Self.sentences) where sentence.count > 25 {
                let owner = owners.updateValue(article.id, forKey: sentence)
                #expect(owner == nil || owner == article.id, "\(article.id) and \(owner ?? ""): \(sentence)")
            }
        }
    }

    private static func sentences(_ text: String) -> [String] {
        text.lowercased().split { ".;:\n".contains($0) }.map { $0.trimmingCharacters(in: .whitespaces) }
    }
}

extension Article {
    fileprivate var localizedTexts: [LocalizedText] {
        [description, summary] + sections.values + lookAlikes.map(\.howToTell)
    }

    fileprivate var everyText: [String] {
        localizedTexts.flatMap { [$0.en, $0.fi].compactMap { $0 } }
    }
}
