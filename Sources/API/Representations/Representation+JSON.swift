import Base
import Encyclopaedia
import HTTP
import Storage

extension Representation {
    /// A JSON document with a strong entity tag made from its bytes.
    init(json bytes: [UInt8], headers: HeaderFields) {
        self.init(
            .bytes(bytes), type: .json,
            validators: Validators(entityTag: EntityTag(String(ContentDigest(of: bytes).description.prefix(32)))),
            headers: headers)
    }

    /// A file that may be deleted. Caches have to ask for it each time.
    ///
    /// - Parameter tag: changes with the content.
    init(_ content: Content, contentType: String, revalidatedBy tag: String) {
        self.init(
            content, contentType: contentType, validators: Validators(entityTag: EntityTag(tag)),
            headers: ["Cache-Control": "private, no-cache"])
    }

    /// A page of a list in one language, with the `Link` to the next page.
    init(page: Page<some Encodable>, of request: Request, in language: Language) throws {
        try self.init(list: page, next: page.nextCursor.value, of: request, in: language)
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

extension Response {
    /// A JSON document that no cache keeps.
    static func json(
        _ document: some Encodable, _ status: Status = .ok, headers: HeaderFields = [:]
    ) throws -> Response {
        var headers = headers
        headers["Content-Type"] = MediaType.json.description
        headers["Cache-Control"] = "no-store"
        return Response(status: status, headers: headers, body: .bytes(try JSON.encode(document)))
    }

    /// A page of a list that no cache keeps, with the `Link` to the next page.
    static func json(_ page: Page<some Encodable>, of request: Request) throws -> Response {
        var response = try json(page)
        if let next = page.nextCursor.value { response.headers["Link"] = request.link(toCursor: next) }
        return response
    }

    /// The events of one long piece of work: any number of its own, and at the end `done` or `failed`.
    ///
    /// - Parameter work: gets a function that sends an event with a JSON document, and returns the document of `done`.
    static func events(
        _ work:
            @escaping @Sendable (
                _ send: @escaping @Sendable (_ event: String, _ json: [UInt8]) async throws -> Void
            ) async throws -> [UInt8]
    ) -> Response {
        let log = RequestLog.current
        return Response(
            headers: ServerSentEvent.headers,
            body: .stream(length: nil) { writer in
                let send = { @Sendable (event: String, json: [UInt8]) async throws -> Void in
                    let text = String(decoding: json, as: UTF8.self)
                    try await writer.write(ServerSentEvent(event: event, data: text).serialized())
                }
                do {
                    try await send("done", work(send))
                } catch {
                    log?.report(error)
                    try await send("failed", ProblemDetails(of: error).json())
                }
            })
    }
}

extension EventChannel {
    func publish(_ value: some Encodable, _ event: String) {
        guard let bytes = try? JSON.encode(value) else { return }
        publish(String(decoding: bytes, as: UTF8.self), event: event)
    }
}

extension Request {
    /// The type of the body; nil if the request has none or it cannot be parsed.
    var mediaType: MediaType? { headers["Content-Type"].flatMap { MediaType($0) } }

    /// - Throws: `ProblemDetails` (411) if nothing says that a body comes.
    func requireBody(_ name: String) throws {
        guard headers.contains("Content-Length") || headers.contains("Transfer-Encoding") else {
            throw ProblemDetails(.lengthRequired, detail: "Send the \(name) with Content-Length or in chunks.")
        }
    }

    /// The body as JSON.
    ///
    /// - Parameters:
    ///   - limit: the largest body in bytes.
    ///   - form: shows what is expected, in the problem (400) with any other body.
    func decode<Value: Decodable>(_ type: Value.Type, upTo limit: Int = 4096, form: String) async throws -> Value {
        let bytes = try await body.collect(upTo: limit)
        guard let value = try? JSON.decode(type, from: bytes) else {
            throw ProblemDetails.malformedBody("The body has to be JSON of the form \(form).")
        }
        return value
    }

    /// The language of a request that has no other query parameter than `lang`.
    func language() throws -> Language {
        var reader = QueryReader(self)
        let language = try reader.language(of: self)
        try reader.finish()
        return language
    }

    /// The segment `{id}` of the path.
    ///
    /// - Parameter kind: the kind of thing that the problem (404) names.
    func id(of kind: String) throws -> ULID {
        let text = parameters["id"] ?? ""
        guard let id = ULID(text) else { throw ProblemDetails.notFound(kind, id: text) }
        return id
    }

    /// The `Link` field of the next page of this list (RFC 8288).
    func link(toCursor cursor: String) -> String {
        let others = query.items.filter { $0.name != "cursor" } + [("cursor", cursor)]
        let text = others.map { "\(PercentCoding.encode($0.name))=\(PercentCoding.encode($0.value))" }.joined(
            separator: "&")
        return "<\(path)?\(text)>; rel=\"next\""
    }
}
