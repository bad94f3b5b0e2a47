package import Base

/// A search for articles. Every given condition has to hold.
package struct ArticleQuery: Sendable, Equatable {
    /// The key by which articles are sorted.
    package enum Order: String, Sendable, CaseIterable {
        case relevance, name, weight, height
        case lifeSpan = "life_span"
    }

    /// The words to search for.
    package var text: String?
    package var species: String?
    package var kind: Article.Kind?
    package var group: String?
    package var size: Article.Size?
    /// ISO 3166-1 alpha-2 code.
    package var country: String?
    package var status: Article.ConservationStatus?
    /// The values that each named trait may have.
    package var traits: [String: Set<Int>] = [:]
    /// The order; nil means relevance if words are searched for, otherwise the name.
    package var order: Order?
    /// The language whose names sort the list.
    package var language: Language = .english

    package init() {}

    func matches(_ article: Article) -> Bool {
        (species == nil || article.species == species)
            && (kind == nil || article.kind == kind)
            && (group == nil || article.group == group)
            && (size == nil || article.size == size)
            && (country.map { article.countries.contains($0) } ?? true)
            && (status == nil || article.conservationStatus == status)
            && traits.allSatisfy { name, values in article.traits?[name].map(values.contains) ?? false }
    }
}

extension Encyclopaedia {
    /// The articles that match, in the order of the query.
    package func articles(matching query: ArticleQuery) -> [Article] {
        if let text = query.text, !text.allSatisfy(\.isWhitespace) {
            let found = index.search(text).compactMap { self[$0] }.filter(query.matches)
            return sorted(found, by: query.order ?? .relevance, language: query.language)
        }
        return sorted(articles.filter(query.matches), by: query.order ?? .name, language: query.language)
    }

    private func sorted(_ articles: [Article], by order: ArticleQuery.Order, language: Language) -> [Article] {
        func ascending(_ measure: (Article) -> Double?) -> [Article] {
            articles.map { (measure($0) ?? .infinity, $0) }
                .sorted { ($0.0, $0.1.id) < ($1.0, $1.1.id) }
                .map(\.1)
        }
        switch order {
        case .relevance: return articles
        case .name:
            // Each key is made once, because making keys in the comparison would take most of the time.
            return articles.map { (($0.name[language].lowercased(), $0.id), $0) }.sorted { $0.0 < $1.0 }.map(\.1)
        case .weight: return ascending { $0.weightKilograms?.max }
        case .height: return ascending { $0.heightCentimetres?.max ?? $0.lengthCentimetres?.max }
        case .lifeSpan: return ascending { $0.lifeSpanYears?.max }
        }
    }
}
