import Base
import Encyclopaedia
import HTTP

extension QueryReader {
    /// The language of the answer: `lang`, else the preference in `Accept-Language`, else English.
    mutating func language(of request: Request) throws -> Language {
        if let language = try choice("lang", of: Language.self) { return language }
        return AcceptLanguage.lookup(Language.allCases.map(\.rawValue), for: request.headers).flatMap(Language.init)
            ?? .english
    }
}
