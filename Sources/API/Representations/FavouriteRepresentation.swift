import Base
import Encyclopaedia
import Foundation
import History

struct FavouriteRepresentation: Encodable {
    let id: String
    let since: Date
    let article: ArticleRepresentation

    init(_ favourite: Favourite, _ article: Article, in language: Language, of encyclopaedia: Encyclopaedia) {
        id = favourite.articleID
        since = favourite.since
        self.article = ArticleRepresentation(article, in: language, of: encyclopaedia)
    }
}
