import Base
import Encyclopaedia
import Foundation
import Storage

/// A breed, species or fruit that was met.
struct CollectionItem: Encodable {
    let label: String
    let name: String
    let kind: Article.Kind
    let species: String
    let count: Int
    let firstMet: Date
    let lastMet: Date
    let url: String

    init(_ entry: CollectionEntry, _ article: Article, in language: Language) {
        label = entry.label
        name = article.name[language]
        kind = article.kind
        species = article.species
        count = entry.count
        firstMet = entry.firstMet
        lastMet = entry.lastMet
        url = "/breeds/\(article.id)"
    }
}

/// The part of the encyclopaedia that was met.
struct CollectionProgress: Encodable {
    struct Share: Encodable {
        let met: Int
        let of: Int
        /// A text such as `12.5%`.
        let percent: String

        init(met: Int, of total: Int) {
            self.met = met
            of = total
            percent = (total == 0 ? 0 : Double(met) / Double(total)).percent
        }
    }

    let met: Int
    let of: Int
    let percent: String
    /// The shares of `cats`, `dogs`, `species` and `fruit`.
    let groups: [String: Share]

    /// - Parameter met: the ids of the articles that were met.
    init(met: Set<String>, in encyclopaedia: Encyclopaedia) {
        let articles = encyclopaedia.articles
        let groups = Dictionary(grouping: articles, by: Self.group).mapValues { members in
            Share(met: members.count { met.contains($0.id) }, of: members.count)
        }
        let all = Share(met: articles.count { met.contains($0.id) }, of: articles.count)
        (self.met, of, percent) = (all.met, all.of, all.percent)
        self.groups = groups
    }

    /// Breeds of rabbits, sheep and so on count as species, because people meet them at a zoo.
    private static func group(_ article: Article) -> String {
        switch (article.kind, article.species) {
        case (.breed, "cat"): "cats"
        case (.breed, "dog"): "dogs"
        case (.fruit, _): "fruit"
        default: "species"
        }
    }
}

/// A page of the collection with the progress of the whole.
struct CollectionPage: Encodable {
    let page: Page<CollectionItem>
    let progress: CollectionProgress

    private enum CodingKeys: CodingKey { case progress }

    func encode(to encoder: any Encoder) throws {
        try page.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(progress, forKey: .progress)
    }
}
