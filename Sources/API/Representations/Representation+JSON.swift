import Encyclopaedia
import HTTP
import History

extension Representation {
    /// A JSON document that stays as it is, with a strong entity tag made from its bytes.
    init(json bytes: [UInt8], headers: HeaderFields) {
        self.init(
            .bytes(bytes), type: .json,
            validators: Validators(entityTag: EntityTag(String(ContentDigest(of: bytes).description.prefix(32)))),
            headers: headers)
    }

    /// A page of a list in one language, with the `Link` to the next one.
    init(page: Page<some Encodable>, of request: Request, in language: Language) throws {
        try self.init(list: page, next: page.nextCursor, of: request, in: language)
    }

    /// A document that is a page of a list in one language; caches ask before they use it again.
    init(list: some Encodable, next: String?, of request: Request, in language: Language) throws {
        var headers: HeaderFields = [
            "Content-Language": language.rawValue, "Vary": "Accept-Language", "Cache-Control": "private, no-cache",
        ]
        if let next { headers["Link"] = request.link(toCursor: next) }
        self.init(json: try JSON.encode(list), headers: headers)
    }
}

extension Request {
    /// The `Link` field that leads to the next page of this list (RFC 8288).
    func link(toCursor cursor: String) -> String {
        let others = query.items.filter { $0.name != "cursor" } + [("cursor", cursor)]
        let text = others.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "&")
        return "<\(path)?\(text)>; rel=\"next\""
    }
}

extension String {
    /// Everything but RFC 3986's unreserved characters as %XX.
    var percentEncoded: String {
        var result = ""
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }
}
