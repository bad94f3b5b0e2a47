import Base
import Testing

@testable import Encyclopaedia

@Suite struct SearchTests {
    let encyclopaedia: Encyclopaedia

    init() throws {
        encyclopaedia = try Bundled.encyclopaedia.get()
    }

    @Test(arguments: [
        ("siamese", "siamese"), ("Siam", "siamese"), ("siamise", "siamese"), ("birmn", "birman"),
        ("pyhä birma", "birman"), ("rus blu", "russian_blue"), ("britsh shorthar", "british_shorthair"),
        ("labrador", "labrador_retriever"), ("boston bull", "boston_bull"),
        ("lumileopardi", "snow_leopard"), ("panthera uncia", "snow_leopard"), ("Pallas's cat", "pallass_cat"),
        ("pallass", "pallass_cat"), ("mansikka", "strawberry"), ("zzzzqqq", nil), ("", nil), ("\"*)(", nil),
    ])
    func findsByNameInBothLanguagesInSpiteOfTypingErrors(query: String, best: String?) throws {
        #expect(encyclopaedia.index.search(query).first == best)
    }

    @Test func readsTheFirstWordsOfALongQuery() {
        let words = Array(repeating: "siamese", count: 32) + Array(repeating: "nothing", count: 4000)
        #expect(encyclopaedia.index.search(words.joined(separator: " ")).first == "siamese")
    }

    @Test func findsWordsInTheText() throws {
        let found = encyclopaedia.index.search("Ayutthaya")
        #expect(found.contains("siamese"))
    }

    @Test(arguments: [
        ("koira", "dog"), ("Dogs", "dog"), ("kissat", "cat"), ("cat", "cat"),
    ])
    func wordsForPetsFindAllOfThemAndNothingThatIsOnlyComparedWithThem(query: String, species: String) throws {
        let found = encyclopaedia.index.search(query).compactMap { encyclopaedia[$0] }
        let all = encyclopaedia.articles.filter { $0.species == species }
        #expect(Set(found.map(\.id)).isSuperset(of: all.map(\.id)))
        let others = found.filter { $0.species != species }.map(\.id)
        #expect(Set(others).isSubset(of: ["european_wildcat", "pallass_cat"]), "\(others)")
    }

    @Test(arguments: ["owl", "owls", "pöllö", "Pöllöt"])
    func wordsForOtherGroupsFindTheirMembersInBothLanguages(query: String) {
        #expect(
            Set(encyclopaedia.index.search(query)) == ["eurasian_eagle_owl", "great_grey_owl", "snowy_owl"])
    }

    @Test func ofAGroupThatNoArticleTellsOfNothingIsFound() {
        // Dogs of the colour ivory (norsunluu) are not found.
        for query in ["norsu", "elephant", "norsut"] { #expect(encyclopaedia.index.search(query) == []) }
    }

    @Test(arguments: [("tiikeri", "amur_tiger"), ("leijona", "asiatic_lion"), ("hevo", "przewalskis_horse")])
    func theEndOfACompoundNameCountsAsItsName(query: String, best: String) {
        #expect(encyclopaedia.index.search(query).prefix(3).contains(best), "\(encyclopaedia.index.search(query))")
    }

    @Test func unfinishedWordsForGroupsFindThemToo() {
        let found = encyclopaedia.index.search("koir").prefix(20).compactMap { encyclopaedia[$0]?.species }
        #expect(found.allSatisfy { $0 == "dog" }, "\(found)")
    }

    @Test func everyMemberOfAGroupHasAnArticle() throws {
        let groups = try SearchGroup.bundled()
        #expect(groups.count > 30)
        for group in groups {
            for id in group.ids ?? [] { #expect(encyclopaedia[id] != nil, "\(id)") }
            let isOfKinds = group.species != nil || group.group != nil || group.kind != nil
            if isOfKinds { #expect(encyclopaedia.articles.contains(where: group.has), "\(group.words)") }
        }
    }

    @Test(arguments: [("big cat", "cat"), ("black cat", "cat"), ("iso kissa", "cat"), ("musta koira", "dog")])
    func ofSeveralWordsTheOneForAGroupCountsMost(query: String, species: String) {
        let found = encyclopaedia.index.search(query).compactMap { encyclopaedia[$0] }
        let others = found.drop { $0.species == species || ["european_wildcat", "pallass_cat"].contains($0.id) }
        #expect(found.count > others.count && !others.contains { $0.species == species }, "\(found.map(\.id))")
    }

    @Test func spacesAloneFindEveryArticle() {
        var query = ArticleQuery()
        query.text = " \t "
        #expect(encyclopaedia.articles(matching: query).count == encyclopaedia.articles.count)
    }

    @Test func filtersHoldTogether() throws {
        var query = ArticleQuery()
        query.species = "dog"
        query.group = "terrier"
        query.size = .small
        query.traits = ["energy": [4, 5]]
        let found = encyclopaedia.articles(matching: query)
        #expect(!found.isEmpty)
        for article in found {
            #expect(article.species == "dog" && article.group == "terrier" && article.size == .small)
            #expect(article.traits.map { $0["energy"] ?? 0 >= 4 } == true)
        }
    }

    @Test func sortsByNameInTheLanguageAskedFor() throws {
        var query = ArticleQuery()
        query.language = .finnish
        let names = encyclopaedia.articles(matching: query).map { $0.name[.finnish].lowercased() }
        #expect(names == names.sorted())
        query.order = .weight
        let weights = encyclopaedia.articles(matching: query).compactMap { $0.weightKilograms?.max }
        #expect(weights == weights.sorted())
    }

    @Test func everyArticleIsFoundByItsOwnName() throws {
        for article in encyclopaedia.articles {
            let found = encyclopaedia.index.search(article.name.en)
            #expect(found.prefix(3).contains(article.id), "\(article.name.en): \(found.prefix(3))")
        }
    }
}
