import Base
import Encyclopaedia

/// An article in the HTTP interface, in one language.
struct ArticleRepresentation: Encodable {
    struct LookAlike: Encodable {
        let id: String
        let name: String
        let howToTell: String
        let url: String
    }

    let id: String
    let kind: Article.Kind
    let species: String
    let group: String
    let name: String
    let names: NameTranslations
    let scientificName: String?
    let aliases: [String]
    let origin: String
    let countries: [String]
    let size: Article.Size
    let summary: String
    let description: String
    let sections: [String: String]
    let lifeSpanYears: Article.Range?
    let weightKg: Article.Range?
    let heightCm: Article.Range?
    let lengthCm: Article.Range?
    let traits: [String: Int]?
    let conservationStatus: Article.ConservationStatus?
    let lookAlikes: [LookAlike]
    let sources: [Article.Source]
    /// The language of description and sections. It is Finnish only if they have been written in Finnish.
    let language: Language
    let url: String

    init(_ article: Article, in language: Language, of encyclopaedia: Encyclopaedia) {
        id = article.id
        kind = article.kind
        species = article.species
        group = article.group
        name = article.name[language]
        names = NameTranslations(en: article.name.en, fi: article.name[.finnish])
        scientificName = article.scientificName
        aliases = language == .english ? article.aliases.en : article.aliases.fi
        origin = article.origin[language]
        countries = article.countries
        size = article.size
        summary = article.summary[language]
        description = article.description[language]
        sections = article.sections.mapValues { $0[language] }
        lifeSpanYears = article.lifeSpanYears
        weightKg = article.weightKilograms
        heightCm = article.heightCentimetres
        lengthCm = article.lengthCentimetres
        traits = article.traits
        conservationStatus = article.conservationStatus
        lookAlikes = article.lookAlikes.map { other in
            LookAlike(
                id: other.id, name: encyclopaedia[other.id]?.name[language] ?? other.id,
                howToTell: other.howToTell[language], url: "/breeds/\(other.id)")
        }
        sources = article.sources
        self.language = article.description.isWritten(in: language) ? language : .english
        url = "/breeds/\(article.id)"
    }
}

struct ArticleSummary: Encodable {
    let id: String
    let kind: Article.Kind
    let species: String
    let group: String
    let name: String
    let scientificName: String?
    let size: Article.Size
    let summary: String
    let traits: [String: Int]?
    let conservationStatus: Article.ConservationStatus?
    let url: String

    init(_ article: Article, in language: Language) {
        id = article.id
        kind = article.kind
        species = article.species
        group = article.group
        name = article.name[language]
        scientificName = article.scientificName
        size = article.size
        summary = article.summary[language]
        traits = article.traits
        conservationStatus = article.conservationStatus
        url = "/breeds/\(article.id)"
    }
}
