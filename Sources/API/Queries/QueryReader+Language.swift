import Encyclopaedia
import HTTP

extension QueryReader {
    /// The language to answer in: `lang`, else what `Accept-Language` prefers, else English.
    mutating func language(of request: Request) throws -> Language {
        if let language = try choice("lang", of: Language.self) { return language }
        guard let header = request.headers["accept-language"] else { return .english }
        return AcceptLanguage(header).best(of: Language.allCases.map(\.rawValue)).flatMap(Language.init) ?? .english
    }
}
