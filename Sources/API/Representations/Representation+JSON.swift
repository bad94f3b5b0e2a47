import Base
import Encyclopaedia
import HTTP
import History

extension Representation {
    /// A JSON document with a strong entity tag made from its bytes.
    init(json bytes: [UInt8], headers: HeaderFields) {
        self.init(
            .bytes(bytes), type: .json,
            validators: Validators(entityTag: EntityTag(String(ContentDigest(of: bytes).description.prefix(32)))),
            headers: headers)
    }

    /// A page of a list in one language, with the `Link` to the next page.
    init(page: Page<some Encodable>, of request: Request, in language: Language) throws {
        try self.init(list: page, next: page.nextCursor, of: request, in: language)
    }

    /// A document that is a page of a list in one language. Caches have to revalidate it.
    init(list: some Encodable, next: String?, of request: Request, in language: Language) throws {
        var headers: HeaderFields = [
            "Content-Language": language.rawValue, "Vary": "Accept-Language", "Cache-Control": "private, no-cache",
        ]
        if let next { headers["Link"] = request.link(toCursor: next) }
        self.init(json: try JSON.encode(list), headers: headers)
    }
}

extension Request {
    /// The `Link` field of the next page of this list (RFC 8288).
    func link(toCursor cursor: String) -> String {
        let others = query.items.filter { $0.name != "cursor" } + [("cursor", cursor)]
        let text = others.map { "\(PercentCoding.encode($0.name))=\(PercentCoding.encode($0.value))" }.joined(
            separator: "&")
        return "<\(path)?\(text)>; rel=\"next\""
    }
}
